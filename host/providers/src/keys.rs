//! Where a provider's key comes from: a command, or a variable of the environment. It is never shown, stored or logged.

use std::fmt;
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use tokio::io::AsyncReadExt;
use tokio::process::{Child, Command};
use tokio::sync::Mutex;

/// How long a command may take to print a key.
const LONGEST: Duration = Duration::from_secs(30);
/// How long what it printed is read for when it has ended.
const REST: Duration = Duration::from_millis(200);
/// How long a key may be, in bytes.
const LARGEST: usize = 8 << 10;

/// A key, and where it came from.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Key {
    pub(crate) value: String,
    /// In words, such as "`ANTHROPIC_API_KEY`".
    pub(crate) from: String,
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Key(from {})", self.from)
    }
}

/// Where keys of one provider come from.
pub(crate) struct Keys {
    command: Option<Vec<String>>,
    variables: Vec<String>,
    /// What the command printed. It is asked once, and again when the service does not take the key.
    printed: Mutex<Option<String>>,
}

impl fmt::Debug for Keys {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Keys(from {})", self.place())
    }
}

impl Keys {
    pub(crate) fn new(command: Option<Vec<String>>, variables: Vec<String>) -> Self {
        Self { command, variables, printed: Mutex::default() }
    }

    /// Whether the provider has keys at all.
    pub(crate) fn are_needed(&self) -> bool {
        self.command.is_some() || !self.variables.is_empty()
    }

    /// The program of the command, if there is one.
    pub(crate) fn command(&self) -> Option<&str> {
        self.command.as_ref().map(|command| command.first().map_or("", |program| program))
    }

    /// The variables that may hold a key.
    pub(crate) fn variables(&self) -> &[String] {
        &self.variables
    }

    /// Where a key would come from, in words.
    pub(crate) fn place(&self) -> String {
        match self.command() {
            Some(program) => format!("the command `{program}`"),
            None => self.variables.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(" or "),
        }
    }

    /// The key that is in the environment.
    pub(crate) fn set(&self) -> Option<(&str, String)> {
        self.variables.iter().find_map(|name| {
            let value = std::env::var(name).ok()?.trim().to_owned();
            (!value.is_empty()).then_some((&**name, value))
        })
    }

    /// The key, if there is one.
    ///
    /// # Errors
    /// A text that says why there is none where one should be. It holds no key.
    pub(crate) async fn get(&self) -> Result<Option<Key>, String> {
        if let Some(command) = &self.command {
            let mut printed = self.printed.lock().await;
            let value = match &*printed {
                Some(value) => value.clone(),
                None => printed.insert(print(command).await?).clone(),
            };
            return checked(value, self.place()).map(Some);
        }
        self.set().map(|(name, value)| checked(value, format!("`{name}`"))).transpose()
    }

    /// The service did not take the key: a command is asked again next time.
    pub(crate) async fn forget(&self) {
        *self.printed.lock().await = None;
    }
}

/// A key must fit into a header. What is wrong is said without it.
fn checked(value: String, from: String) -> Result<Key, String> {
    if value.len() > LARGEST {
        return Err(format!("{from} gives a key of more than {} KiB, which is none", LARGEST >> 10));
    }
    match value.bytes().all(|byte| byte.is_ascii_graphic()) {
        true => Ok(Key { value, from }),
        false => Err(format!("{from} gives a key with blanks or characters that are not ASCII, which is none")),
    }
}

/// What a command prints, without blanks around it.
async fn print(command: &[String]) -> Result<String, String> {
    let [program, arguments @ ..] = command else { return Err("`key-command` names no command".to_owned()) };
    let failed = |what: String| format!("the key's command `{program}` {what}; run it yourself to see why");
    let mut running = Command::new(program);
    running.args(arguments).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null()).kill_on_drop(true);
    // Nothing that it names is to be found in the folder where somebody happens to be.
    running.current_dir("/");
    let child = running.spawn().map_err(|error| failed(format!("cannot be run: {error}")))?;
    let (printed, status) = tokio::time::timeout(LONGEST, ended(child))
        .await
        .map_err(|_| failed(format!("did not end within {} s", LONGEST.as_secs())))?
        .map_err(|error| failed(format!("cannot be read: {error}")))?;
    if printed.len() > LARGEST {
        return Err(failed(format!("printed more than {} KiB", LARGEST >> 10)));
    }
    if !status.success() {
        return Err(failed(format!("failed ({status})")));
    }
    let printed = String::from_utf8(printed).map_err(|_| failed("printed no text".to_owned()))?;
    match printed.trim() {
        "" => Err(failed("printed nothing".to_owned())),
        key => Ok(key.to_owned()),
    }
}

/// What a command printed, no more than a key may have and a little, and how it ended. What it leaves running may hold its
/// output open: that is not waited for.
async fn ended(mut child: Child) -> std::io::Result<(Vec<u8>, ExitStatus)> {
    let mut printed = Vec::new();
    let Some(output) = child.stdout.take() else { return Ok((printed, child.wait().await?)) };
    let mut output = output.take(LARGEST as u64 + 1);
    let read = tokio::select! {
        read = output.read_to_end(&mut printed) => Some(read?),
        status = child.wait() => { status?; None }
    };
    match read {
        Some(_) if printed.len() > LARGEST => child.kill().await?,
        Some(_) => {}
        None => drop(tokio::time::timeout(REST, output.read_to_end(&mut printed)).await),
    }
    Ok((printed, child.wait().await?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn command(words: &[&str]) -> Keys {
        Keys::new(Some(words.iter().map(|word| (*word).to_owned()).collect()), Vec::new())
    }

    #[tokio::test]
    async fn a_command_is_asked_once_until_its_key_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let log = folder.path().join("log");
        let script = format!("echo x >> '{}'; echo ' key-1 '", log.display());
        let keys = command(&["sh", "-c", &script]);
        for _ in 0..2 {
            assert_eq!(keys.get().await.unwrap().unwrap().value, "key-1");
        }
        keys.forget().await;
        keys.get().await.unwrap();
        assert_eq!(std::fs::read_to_string(&log).unwrap(), "x\nx\n");
    }

    /// A helper that stays may hold the output open.
    #[tokio::test]
    async fn a_command_that_leaves_something_running_has_given_its_key() {
        let begun = std::time::Instant::now();
        assert_eq!(command(&["sh", "-c", "sleep 20 & echo sk-1"]).get().await.unwrap().unwrap().value, "sk-1");
        assert!(begun.elapsed() < LONGEST / 3);
    }

    #[tokio::test]
    async fn a_command_that_prints_without_end_is_ended() {
        let fault = command(&["yes"]).get().await.unwrap_err();
        assert!(fault.contains("printed more than 8 KiB"), "{fault}");
    }

    #[tokio::test]
    async fn what_is_wrong_with_a_key_is_said_without_it() {
        for (script, expected) in [
            ("echo 'my secret'", "the command `sh` gives a key with blanks"),
            ("echo secret; exit 3", "the key's command `sh` failed (exit status: 3)"),
            ("true", "printed nothing"),
        ] {
            let fault = command(&["sh", "-c", script]).get().await.unwrap_err();
            assert!(fault.contains(expected) && !fault.contains("secret"), "{fault}");
        }
        let fault = command(&["/no/such/program"]).get().await.unwrap_err();
        assert!(fault.contains("cannot be run"), "{fault}");
        let shown = format!("{:?}", Key { value: "secret".to_owned(), from: "`A`".to_owned() });
        assert!(!shown.contains("secret"), "{shown}");
    }
}
