//! Keys that are known and change nothing here: they are other agents', or belong to what Bowline
//! does not do. Whoever sets one is told, so that nobody relies on it.

use super::explain::Effective;

/// A key stands for all below it, too.
#[rustfmt::skip]
const UNUSED: &[&str] = &[
    // keys and providers
    "proxyAuthHelper", "awsCredentialExport", "awsAuthRefresh", "gcpAuthRefresh", "otelHeadersHelper",
    "processWrapper", "policyHelper", "forceLoginMethod", "forceLoginOrgUUID", "forceLoginGatewayUrl",
    "gatewayInternalNetworks", "forceRemoteSettingsRefresh", "parentSettingsBehavior",
    "managedSourcesBehavior", "wslInheritsWindowsSettings",
    // the model
    "modelOverrides", "modelPicker", "modelPricing", "modelSettings", "showThinkingSummaries",
    "advisorModel", "fastMode", "fastModePerSessionOptIn", "ultracode", "switchModelsOnFlag",
    "subagentPromptCacheTtl",
    // context and memory
    "precomputeCompactionEnabled", "idleCompaction", "autoMemoryDirectory", "autoDreamEnabled",
    "plansDirectory", "fileCheckpointingEnabled", "desktopSessionCleanupPeriodDays",
    // permissions
    "permissions.blockReadsExemptPaths", "permissions.workingDirectoriesAsGiven",
    "skipAutoPermissionPrompt", "askUserQuestionTimeout", "dialogExpiry", "skipWebFetchPreflight",
    "showClearContextOnPlanAccept",
    // sandbox
    "sandbox.network.allowMachLookup", "sandbox.network.tlsTerminate", "sandbox.enableWeakerNestedSandbox",
    "sandbox.allowNestedUserNamespaces", "sandbox.enableWeakerNetworkIsolation",
    "sandbox.allowAppleEvents", "sandbox.ripgrep",
    // hooks
    "disableReplyCheck",
    // MCP
    "allowAllClaudeAiMcps", "allowClaudeInChromeWithManagedMcp", "disableClaudeAiConnectors",
    "channelsEnabled", "allowedChannelPlugins",
    // plugins and skills
    "prependPlugins", "appendPlugins", "disableCommandPluginSources", "disableSideloadFlags",
    "pluginSuggestionMarketplaces", "pluginTrustMessage",
    "syncClaudeAiSkills", "syncClaudeAiPlugins",
    // tools, shell and git
    "defaultShell", "bashOutputMaxChars", "bashEditDiffEnabled", "respondToBashCommands",
    "taskOutputMaxChars", "disableWindowsBashCommandSplit", "todoFeatureEnabled",
    "respectGitignore", "attribution", "includeCoAuthoredBy", "attributionProject",
    "attributionProjectPolicy", "prUrlTemplate",
    // looks
    "tui", "viewMode", "defaultView", "verbose", "vimInsertModeRemaps",
    "keybindingFlavor", "subagentStatusLine", "footerLinksRegexes", "spinnerTipsEnabled",
    "spinnerVerbs", "spinnerTipsOverride", "syntaxHighlightingDisabled", "maxProseWidth", "spellcheck",
    "terminalTitleFromRename", "prefersReducedMotion", "timeFormat", "timeZone",
    "autoScrollEnabled", "wheelScrollAccelerationEnabled", "showTurnDuration",
    "showMessageTimestamps", "terminalProgressBarEnabled", "emojiCompletionEnabled",
    "companyAnnouncements", "feedbackSurveyRate", "feedbackDrafts", "voice", "voiceEnabled",
    // other agents and machines
    "disableAgentView", "teammateMode", "daemonColdStart", "crossSessionInbound", "isolatePeerMachines",
    "disableRemoteControl", "remoteControlAtStartup", "autoUploadSessions", "inputNeededNotifEnabled",
    "agentPushNotifEnabled", "autoContinueAtUsageLimit", "remote", "sshConfigs", "sshHostCommands",
    "disableWorkflows", "enableWorkflows", "workflowSizeGuideline", "workflowKeywordTriggerEnabled",
    "disableArtifact", "enableArtifact", "disableDeepLinkRegistration",
    // updates
    "autoUpdatesChannel", "minimumVersion", "requiredMinimumVersion", "requiredMaximumVersion",
];

/// Known, but only kept from projects: there is nothing that would use them.
const GUARDED: [&str; 4] =
    ["useAutoModeDuringPlan", "sandbox.bwrapPath", "sandbox.socatPath", "worktree"];

/// Used where the sandbox goes by paths. On Linux a socket cannot be told from another by its path;
/// `allowAllUnixSockets` opens all.
const OF_MACOS: &str = "sandbox.network.allowUnixSockets";

/// The keys among these values that change nothing, each once, in their order.
pub(super) fn among(values: &[Effective]) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for each in values {
        if let Some(key) = covers(&each.key)
            && !found.iter().any(|known| known == key)
        {
            found.push(key.to_owned());
        }
    }
    found
}

/// The entry of the table that a key is, or is below of.
pub(super) fn covers(key: &str) -> Option<&'static str> {
    let covers = |entry: &&str| {
        let rest = key.strip_prefix(*entry);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
    };
    let of_macos = (!cfg!(target_os = "macos")).then_some(&OF_MACOS);
    UNUSED.iter().chain(&GUARDED).chain(of_macos).copied().find(covers)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::super::schema;
    use super::*;

    #[test]
    fn keys_and_what_is_below_them() {
        let check = |key: &str, expect: Option<&str>| assert_eq!(covers(key), expect, "{key}");
        check("tui", Some("tui"));
        check("sandbox.ripgrep.command", Some("sandbox.ripgrep"));
        check("spinnerTipsOverride[2]", Some("spinnerTipsOverride"));
        check("sandbox.enabled", None);
        check("themes", None);
        check("attributions", None);
    }

    /// Whoever begins to use a key takes it out of the table.
    #[test]
    fn what_is_called_unused_is_named_nowhere_else() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
        let mut sources = Vec::new();
        collect(&folder, &mut sources);
        assert!(sources.len() > 30, "{folder:?}");
        for key in UNUSED {
            assert!(schema::find(key).is_some(), "{key} is no key");
            let quoted = format!("\"{key}\"");
            let user = sources.iter().find(|(_, text)| text.contains(&quoted));
            assert!(user.is_none(), "{key} is used in {}: take it out of UNUSED", user.unwrap().0);
        }
    }

    #[allow(clippy::disallowed_methods, reason = "a test reads the sources")]
    fn collect(folder: &Path, found: &mut Vec<(String, String)>) {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            match path.is_dir() {
                true if name != "tests" => collect(&path, found),
                false if name.ends_with(".rs") && !TABLES.contains(&name.as_str()) => {
                    let text = std::fs::read_to_string(&path).unwrap();
                    let text = text.split("#[cfg(test)]\nmod tests {").next().unwrap().to_owned();
                    found.push((path.display().to_string(), text));
                }
                _ => {}
            }
        }
    }

    const TABLES: [&str; 3] = ["schema.rs", "unused.rs", "tests.rs"];
}
