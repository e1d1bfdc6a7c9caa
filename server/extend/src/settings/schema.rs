//! Which keys settings have, and of what shape. Most are known only so that a file made for other
//! agents is read without complaint; what we use is picked up by its path.
//!
//! A key that is not here belongs to somebody else and is left alone, unless it looks like a slip.

/// What a value must look like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    Bool,
    /// Written as `"disable"`, or as `true`.
    Disable,
    /// A text; the words say what it must be.
    Text(&'static str),
    Number,
    Texts,
    /// One of a few words.
    Choice(&'static [&'static str]),
    /// An object whose keys are in this table too.
    Group,
    /// An object whose keys are names that somebody chose.
    Object,
    /// Read elsewhere, or not looked at.
    Any,
}

use Shape::{Any, Bool, Choice, Disable, Group, Number, Object, Text, Texts};

const STRING: Shape = Text("a string in quotes");
const MODEL: Shape = Text("the name of a model in quotes");
const COMMAND: Shape = Text("a command in quotes");

/// Ways to tell a user who looks elsewhere, with the names that other agents have for them.
const NOTIFICATIONS: &[&str] = &[
    "auto",
    "bell",
    "osc9",
    "osc777",
    "desktop",
    "off",
    "none",
    "iterm2",
    "iterm2_with_bell",
    "terminal_bell",
    "kitty",
    "ghostty",
    "notifications_disabled",
];

/// Every key by its path.
#[rustfmt::skip]
const KEYS: &[(&str, Shape)] = &[
    ("$schema", STRING),
    // our own
    ("fastModel", MODEL), ("languageServers", Object), ("mcpServers", Object), ("maxTurns", Any),
    ("saveBeforeCommands", Any), ("helpers", Group), ("helpers.title", Bool),
    ("helpers.toolSummaries", Bool), ("helpers.magicDocs", Bool), ("helpers.awaySummary", Bool),
    ("helpers.sessionMemory", Bool),
    ("taskTools", Bool), ("toolSearch", STRING), ("webSearch", Group),
    ("webSearch.url", STRING), ("webSearch.headers", Texts),
    ("shareEditorFocus", Bool),
    ("commandsInTerminal", Bool),
    // keys and providers
    ("apiKeyHelper", COMMAND), ("proxyAuthHelper", COMMAND), ("awsCredentialExport", COMMAND),
    ("awsAuthRefresh", COMMAND), ("gcpAuthRefresh", COMMAND), ("otelHeadersHelper", COMMAND),
    ("processWrapper", COMMAND), ("policyHelper", Object), ("forceLoginMethod", STRING),
    ("forceLoginOrgUUID", Any), ("forceLoginGatewayUrl", STRING), ("gatewayInternalNetworks", Texts),
    ("allowedProviders", Texts), ("forceRemoteSettingsRefresh", Bool),
    ("parentSettingsBehavior", Choice(&["first-wins", "merge"])),
    ("managedSourcesBehavior", Choice(&["first-wins", "merge"])),
    ("wslInheritsWindowsSettings", Bool), ("env", Any),
    // the model
    ("model", MODEL), ("fallbackModel", Any), ("availableModels", Texts),
    ("availableModelsMatch", Choice(&["prefix", "exact"])), ("enforceAvailableModels", Bool),
    ("deniedModels", Texts), ("modelOverrides", Object), ("modelPicker", Object),
    ("modelPricing", Object), ("modelSettings", Object),
    ("effortLevel", Choice(&["low", "medium", "high", "xhigh"])),
    ("maxEffortLevel", Choice(&["low", "medium", "high", "xhigh", "max"])),
    ("alwaysThinkingEnabled", Bool), ("showThinkingSummaries", Bool), ("advisorModel", STRING),
    ("fastMode", Bool), ("fastModePerSessionOptIn", Bool), ("ultracode", Bool),
    ("switchModelsOnFlag", Bool), ("promptCacheTtl", Choice(&["5m", "1h"])),
    ("subagentPromptCacheTtl", Choice(&["5m", "1h"])), ("outputStyle", STRING), ("language", STRING),
    ("agent", STRING), ("promptSuggestionEnabled", Bool),
    // context and memory
    ("autoCompactEnabled", Bool), ("autoCompactWindow", Number), ("precomputeCompactionEnabled", Bool),
    ("idleCompaction", Bool), ("autoMemoryEnabled", Bool), ("autoMemoryDirectory", STRING),
    ("autoDreamEnabled", Bool), ("claudeMd", STRING), ("claudeMdExcludes", Texts),
    ("includeGitInstructions", Bool), ("plansDirectory", STRING), ("fileCheckpointingEnabled", Bool),
    ("cleanupPeriodDays", Number), ("sessionsMaxMegabytes", Number),
    ("desktopSessionCleanupPeriodDays", Number),
    // permissions
    ("permissions", Any),
    ("permissions.allow", Any), ("permissions.ask", Any), ("permissions.deny", Any),
    ("permissions.defaultMode", Any), ("permissions.additionalDirectories", Any),
    ("permissions.disableBypassPermissionsMode", Disable), ("permissions.disableAutoMode", Disable),
    ("permissions.denyInsteadOfPrompting", Bool),
    ("permissions.blockReadsOutsideWorkingDirectories", Bool),
    ("permissions.blockWritesOutsideWorkingDirectories", Bool),
    ("permissions.blockReadsExemptPaths", Texts), ("permissions.workingDirectoriesAsGiven", Texts),
    ("disableAutoMode", Disable), ("skipDangerousModePermissionPrompt", Bool),
    ("skipAutoPermissionPrompt", Bool), ("useAutoModeDuringPlan", Bool), ("autoMode", Group),
    ("autoMode.allow", Texts), ("autoMode.soft_deny", Texts), ("autoMode.hard_deny", Texts),
    ("autoMode.environment", Texts), ("autoMode.classifyAllShell", Bool),
    ("allowManagedPermissionRulesOnly", Bool),
    ("askUserQuestionTimeout", Choice(&["60s", "5m", "10m", "never"])),
    ("dialogExpiry", Choice(&["60s", "5m", "10m", "never"])), ("skipWebFetchPreflight", Bool),
    ("showClearContextOnPlanAccept", Bool),
    // sandbox
    ("sandbox", Group), ("sandbox.enabled", Bool), ("sandbox.failIfUnavailable", Bool),
    ("sandbox.autoAllowBashIfSandboxed", Bool), ("sandbox.allowUnsandboxedCommands", Bool),
    ("sandbox.limitMemory", Bool), ("sandbox.excludedCommands", Texts), ("sandbox.network", Group),
    ("sandbox.network.allowedDomains", Texts), ("sandbox.network.deniedDomains", Texts),
    ("sandbox.network.strictAllowlist", Bool), ("sandbox.network.allowManagedDomainsOnly", Bool),
    ("sandbox.network.allowUnixSockets", Texts), ("sandbox.network.allowAllUnixSockets", Bool),
    ("sandbox.network.allowLocalBinding", Bool), ("sandbox.network.allowMachLookup", Any),
    ("sandbox.network.httpProxyPort", Number), ("sandbox.network.socksProxyPort", Number),
    ("sandbox.network.tlsTerminate", Object), ("sandbox.filesystem", Group),
    ("sandbox.filesystem.allowWrite", Texts), ("sandbox.filesystem.denyWrite", Texts),
    ("sandbox.filesystem.denyRead", Texts), ("sandbox.filesystem.allowRead", Texts),
    ("sandbox.filesystem.allowManagedReadPathsOnly", Bool), ("sandbox.filesystem.disabled", Bool),
    ("sandbox.credentials", Object), ("sandbox.ignoreViolations", Object),
    ("sandbox.enableWeakerNestedSandbox", Bool), ("sandbox.allowNestedUserNamespaces", Bool),
    ("sandbox.enableWeakerNetworkIsolation", Bool), ("sandbox.allowAppleEvents", Bool),
    ("sandbox.ripgrep", Object), ("sandbox.bwrapPath", STRING), ("sandbox.socatPath", STRING),
    // hooks
    ("hooks", Any), ("disableAllHooks", Bool), ("allowManagedHooksOnly", Bool),
    ("allowedHttpHookUrls", Texts), ("httpHookAllowedEnvVars", Texts), ("disableReplyCheck", Bool),
    // MCP
    ("enableAllProjectMcpServers", Bool), ("enabledMcpjsonServers", Texts),
    ("disabledMcpjsonServers", Texts), ("allowedMcpServers", Any), ("deniedMcpServers", Any),
    ("managedMcpServers", Object), ("allowManagedMcpServersOnly", Bool), ("allowAllClaudeAiMcps", Bool),
    ("allowClaudeInChromeWithManagedMcp", Bool), ("disableClaudeAiConnectors", Bool),
    ("channelsEnabled", Any), ("allowedChannelPlugins", Any),
    // plugins and skills
    ("enabledPlugins", Object), ("extraKnownMarketplaces", Object), ("additionalMarketplaces", Object),
    ("strictKnownMarketplaces", Any), ("allowedMarketplaces", Any), ("blockedMarketplaces", Any),
    ("pluginConfigs", Object), ("prependPlugins", Texts), ("appendPlugins", Texts),
    ("disableCommandPluginSources", Any), ("disableSideloadFlags", Any),
    ("pluginSuggestionMarketplaces", Any), ("pluginTrustMessage", STRING),
    ("strictPluginOnlyCustomization", Any), ("skillOverrides", Object), ("disableBundledSkills", Bool),
    ("disableSkillShellExecution", Bool), ("skillListingMaxDescChars", Number),
    ("skillListingBudgetFraction", Number), ("syncClaudeAiSkills", Bool), ("syncClaudeAiPlugins", Bool),
    // tools, shell and git
    ("defaultShell", Choice(&["bash", "powershell"])), ("bashOutputMaxChars", Number),
    ("bashEditDiffEnabled", Bool), ("respondToBashCommands", Any), ("taskOutputMaxChars", Number),
    ("disableWindowsBashCommandSplit", Bool), ("todoFeatureEnabled", Bool), ("fileSuggestion", Object),
    ("respectGitignore", Bool), ("attribution", Any), ("includeCoAuthoredBy", Bool),
    ("attributionProject", Any), ("attributionProjectPolicy", Any), ("prUrlTemplate", STRING),
    ("worktree", Object),
    // looks
    ("theme", STRING), ("tui", Choice(&["default", "fullscreen"])),
    ("viewMode", Choice(&["default", "verbose", "focus"])),
    ("defaultView", Choice(&["chat", "transcript"])), ("verbose", Bool),
    ("editorMode", Choice(&["normal", "vim"])), ("vimInsertModeRemaps", Any), ("keybindingFlavor", Any),
    ("statusLine", Object), ("subagentStatusLine", Any), ("footerLinksRegexes", Any),
    ("spinnerTipsEnabled", Bool), ("spinnerVerbs", Object), ("spinnerTipsOverride", Any),
    ("syntaxHighlightingDisabled", Bool), ("maxProseWidth", Number), ("spellcheck", Any),
    ("terminalTitleFromRename", Bool), ("prefersReducedMotion", Bool), ("timeFormat", STRING),
    ("timeZone", STRING), ("preferredNotifChannel", Choice(NOTIFICATIONS)), ("screenReader", Bool),
    ("autoScrollEnabled", Bool),
    ("wheelScrollAccelerationEnabled", Bool), ("showTurnDuration", Bool),
    ("showMessageTimestamps", Bool), ("terminalProgressBarEnabled", Bool),
    ("emojiCompletionEnabled", Bool), ("companyAnnouncements", Texts), ("feedbackSurveyRate", Number),
    ("feedbackDrafts", Any), ("voice", Any), ("voiceEnabled", Bool),
    // other agents and machines
    ("disableAgentView", Bool), ("teammateMode", Choice(&["auto", "tmux", "iterm2", "in-process"])),
    ("daemonColdStart", Any), ("crossSessionInbound", Choice(&["accept", "hold", "refuse"])),
    ("isolatePeerMachines", Bool), ("disableRemoteControl", Bool), ("remoteControlAtStartup", Bool),
    ("autoUploadSessions", Bool), ("inputNeededNotifEnabled", Bool), ("agentPushNotifEnabled", Bool),
    ("autoContinueAtUsageLimit", Bool), ("remote", Object), ("sshConfigs", Any),
    ("sshHostCommands", Any), ("disableWorkflows", Bool), ("enableWorkflows", Bool),
    ("workflowSizeGuideline", Any), ("workflowKeywordTriggerEnabled", Bool), ("disableArtifact", Bool),
    ("enableArtifact", Bool), ("disableDeepLinkRegistration", Any),
    // updates
    ("autoUpdatesChannel", Choice(&["latest", "stable", "rc"])), ("minimumVersion", STRING),
    ("requiredMinimumVersion", STRING), ("requiredMaximumVersion", STRING),
];

/// Losing one of these, or a key below it, loses a restriction.
const STRICT: [&str; 17] = [
    "permissions",
    "permissions.ask",
    "permissions.deny",
    "permissions.defaultMode",
    "disableAutoMode",
    "allowManagedPermissionRulesOnly",
    "allowManagedHooksOnly",
    "autoMode",
    "disabledMcpjsonServers",
    "allowedProviders",
    "availableModels",
    "availableModelsMatch",
    "deniedModels",
    "enforceAvailableModels",
    "hooks",
    "sandbox",
    "strictPluginOnlyCustomization",
];
/// These only widen, whatever is above them.
const LENIENT: [&str; 4] = [
    "permissions.allow",
    "permissions.additionalDirectories",
    "autoMode.allow",
    "autoMode.environment",
];

pub(super) fn find(path: &str) -> Option<(&'static str, Shape)> {
    KEYS.iter().find(|(known, _)| *known == path).copied()
}

/// The names below a path; those at the top for an empty one.
pub(super) fn names_below(path: &str) -> Vec<&'static str> {
    let below = KEYS.iter().filter_map(|(known, _)| match path {
        "" => Some(*known),
        path => known.strip_prefix(path)?.strip_prefix('.'),
    });
    below.filter(|name| !name.contains('.')).collect()
}

/// Whether something that cannot be read at this path may have restricted.
pub(super) fn is_strict(path: &str) -> bool {
    let within = |key: &str| {
        path.strip_prefix(key).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    };
    STRICT.iter().any(|key| within(key)) && !LENIENT.iter().any(|key| within(key))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_key_is_there_twice_and_every_group_has_keys() {
        for (number, (key, shape)) in KEYS.iter().enumerate() {
            assert!(KEYS[number + 1..].iter().all(|(other, _)| other != key), "{key}");
            if let Some((above, _)) = key.rsplit_once('.') {
                assert!(find(above).is_some(), "{key} has nothing above it");
            }
            assert!(*shape != Group || !names_below(key).is_empty(), "{key}");
        }
    }

    #[test]
    fn what_restricts_is_known() {
        let check = |path: &str, expect: bool| assert_eq!(is_strict(path), expect, "{path}");
        check("permissions", true);
        check("permissions.deny", true);
        check("permissions.allow", false);
        check("permissions.disableAutoMode", true);
        check("sandbox.network.deniedDomains", true);
        check("sandboxes", false);
        check("model", false);
        check("autoMode.hard_deny", true);
        check("autoMode.allow", false);
    }
}
