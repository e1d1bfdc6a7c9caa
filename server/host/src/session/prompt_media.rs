//! Pictures and documents that come with a prompt: as data, as a file, or named in its text. They are
//! checked and made small once, before the prompt is written down; nobody carries the originals.

pub(super) mod mentions;

use std::sync::Arc;

use agent::{Block, ImageSource, ResultPart};
use protocol::event::Severity;
use protocol::prompt::{self, DocumentBlock, ImageBlock};
use tools::SessionState;
use tools::media::{self, Form, Kind};
use workspace::DocumentUri;

use super::servers::mentions as resources;
use super::{Session, blocks};
pub(super) use mentions::of as mentioned;

/// So many files that one text names are looked at.
const MOST_NAMED: usize = 10;

/// A prompt as the model reads it, and as people are shown it: without the bytes.
#[derive(Default)]
pub(super) struct Prompt {
    pub(super) content: Vec<Block>,
    pub(super) shown: Vec<prompt::Block>,
    /// What could not be attached, in sentences for the user.
    problems: Vec<String>,
}

impl Session {
    /// The error says what is wrong with the prompt. It waits for pictures to be decoded, so that
    /// prompts stay in the order in which they were sent.
    pub(super) async fn read_prompt(
        &mut self,
        blocks: Vec<prompt::Block>,
    ) -> Result<Prompt, String> {
        let takes_documents = self.config.provider_of(&self.config.model).takes_documents();
        let form = if takes_documents { Form::Document } else { Form::Words };
        let (state, servers) = (self.state.clone(), self.servers.all());
        let mut reader = Reader { state, form, servers, prompt: Prompt::default() };
        for block in blocks {
            reader.read(block).await?;
        }
        let prompt = reader.prompt;
        blocks::check(&prompt.content)?;
        for problem in &prompt.problems {
            self.notice(Severity::Warning, problem.clone());
        }
        Ok(prompt)
    }
}

struct Reader {
    state: Arc<SessionState>,
    form: Form,
    /// Those whose resources can be named.
    servers: Vec<Arc<mcp::Server>>,
    prompt: Prompt,
}

impl Reader {
    async fn read(&mut self, block: prompt::Block) -> Result<(), String> {
        match block {
            prompt::Block::Image(image) => self.image(image).await,
            prompt::Block::Document(document) => self.document(document).await,
            prompt::Block::File(file) => {
                let path = DocumentUri::new(&file.uri).to_path();
                if let (Some(path), None) = (path, &file.range)
                    && self.attach(&path.display().to_string()).await
                {
                    return Ok(());
                }
                self.plain(prompt::Block::File(file))
            }
            prompt::Block::Text(text) => {
                let mut names: Vec<String> =
                    mentioned(&text.text).into_iter().map(str::to_owned).collect();
                let mut seen = std::collections::HashSet::new();
                names.retain(|name| seen.insert(name.clone()));
                self.plain(prompt::Block::Text(text))?;
                for name in names.iter().take(MOST_NAMED) {
                    match resources::find(&self.servers, name) {
                        Some((server, uri)) => self.resource(&server, uri).await,
                        None => drop(self.attach(name).await),
                    }
                }
                Ok(())
            }
            prompt::Block::Resource(resource) => {
                let named = |server: &&Arc<mcp::Server>| {
                    mcp::names_server(&resource.server, server.name())
                };
                let Some(server) = self.servers.iter().find(named).cloned() else {
                    return Err(format!("There is no MCP server {:?} here.", resource.server));
                };
                self.resource(&server, &resource.uri).await;
                self.prompt.shown.push(prompt::Block::Resource(resource));
                Ok(())
            }
            other => self.plain(other),
        }
    }

    /// What has no bytes.
    fn plain(&mut self, block: prompt::Block) -> Result<(), String> {
        self.prompt.content.extend(blocks::said(&block)?);
        self.prompt.shown.push(block);
        Ok(())
    }

    async fn image(&mut self, image: ImageBlock) -> Result<(), String> {
        match (image.data, image.uri) {
            (Some(data), _) => {
                let bytes = decoded(&data)?;
                let parts = media::show_picture("The picture", bytes).await;
                let parts = parts.map_err(|problem| problem.to_string())?;
                // There is nothing to say about it that the model does not see.
                self.take(parts.into_iter().skip(1));
            }
            (None, Some(uri)) if uri.starts_with("https://") => {
                let block = Block::Image { source: ImageSource::Url { url: uri.clone() } };
                self.prompt.content.push(block);
                let (mime_type, data, width, height) = (image.mime_type, None, None, None);
                let shown = ImageBlock { mime_type, data, uri: Some(uri), width, height };
                self.prompt.shown.push(prompt::Block::Image(shown));
            }
            (None, Some(uri)) => self.by_uri(&uri).await?,
            (None, None) => {
                return Err("An image needs its data, a file or an https address.".to_owned());
            }
        }
        Ok(())
    }

    async fn document(&mut self, document: DocumentBlock) -> Result<(), String> {
        match (document.data, document.uri) {
            (Some(data), _) => {
                let bytes = decoded(&data)?;
                if Kind::of(&bytes) != Some(Kind::Pdf) {
                    return Err("The document is no PDF; only those can be attached.".to_owned());
                }
                let title = document.title.unwrap_or_else(|| "The document".to_owned());
                let parts = media::show_pdf(&title, bytes, None, self.form).await;
                self.attached(parts.map_err(|problem| problem.to_string())?);
            }
            (None, Some(uri)) => self.by_uri(&uri).await?,
            (None, None) => return Err("A document needs its data or a file.".to_owned()),
        }
        Ok(())
    }

    /// What a server has to say under this address.
    async fn resource(&mut self, server: &mcp::Server, uri: &str) {
        match resources::attach(&self.state, server, uri).await {
            Ok(blocks) => {
                self.prompt.shown.extend(blocks.iter().filter_map(blocks::attachment));
                self.prompt.content.extend(blocks);
            }
            Err(problem) => self.not_attached(&format!("{}:{uri}", server.name()), &problem),
        }
    }

    fn not_attached(&mut self, name: &str, problem: &str) {
        let text = format!("{name} was not attached. {problem}");
        self.prompt.content.push(Block::text(tools::reminder(&text)));
        self.prompt.problems.push(text);
    }

    /// A client says that there is a picture or a document.
    async fn by_uri(&mut self, uri: &str) -> Result<(), String> {
        let path = DocumentUri::new(uri).to_path();
        let path = path.ok_or_else(|| format!("{uri} is no file of this machine."))?;
        match self.attach(&path.display().to_string()).await {
            true => Ok(()),
            false => Err(format!("{} cannot be attached as a picture or a PDF.", path.display())),
        }
    }

    /// True when the name is that of a picture or a PDF, also of one that could not be attached.
    async fn attach(&mut self, name: &str) -> bool {
        let path = name.strip_prefix("file:").and_then(|_| DocumentUri::new(name).to_path());
        let given = path.map_or_else(|| name.to_owned(), |path| path.display().to_string());
        match media::attached(&self.state, &given, self.form).await {
            Ok(None) => return false,
            Ok(Some(parts)) => self.attached(parts),
            Err(problem) => self.not_attached(name, &problem.to_string()),
        }
        true
    }

    /// The first part says what it is.
    fn attached(&mut self, parts: Vec<ResultPart>) {
        let mut parts = parts.into_iter();
        let about = match parts.next() {
            Some(ResultPart::Text { text }) => text,
            _ => String::new(),
        };
        if parts.len() == 0 {
            // Its words stand for it.
            let title = about.lines().next().map(|line| line.trim_matches(['-', ' ']).to_owned());
            let mime_type = Kind::Pdf.mime().to_owned();
            let shown = DocumentBlock { mime_type, data: None, uri: None, title };
            self.prompt.shown.push(prompt::Block::Document(shown));
            return self.prompt.content.push(Block::text(format!("{}{about}", blocks::ATTACHED)));
        }
        let about = tools::reminder(&format!("The user attached {about}:"));
        self.prompt.content.push(Block::text(about));
        self.take(parts);
    }

    fn take(&mut self, parts: impl Iterator<Item = ResultPart>) {
        for block in parts.map(Block::from) {
            self.prompt.shown.extend(blocks::attachment(&block));
            self.prompt.content.push(block);
        }
    }
}

fn decoded(data: &str) -> Result<Vec<u8>, String> {
    media::from_base64(data).ok_or_else(|| "The attached data is not Base64.".to_owned())
}
