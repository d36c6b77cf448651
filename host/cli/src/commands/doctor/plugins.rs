//! The plugins that a run would begin with: whether each loads, has its grants, and is as it was locked. Nothing that is
//! granted to them is there while they are looked at.

use std::path::{Path, PathBuf};

use anyhow::Result;
use seam_plugins::Plugin;

use super::Check;
use crate::commands::run::granted;
use crate::commands::run::plugins::{self as loading, LeftOut, Loaded, NotLoaded, Survey, Wanted};
use crate::config::Config;
use crate::faults;
use crate::lock::Lock;
use crate::terminal::style::one_line;

/// How long a name gets.
const SHOWN: usize = 200;

/// All of it.
pub(super) async fn checks(
    folder: Result<Option<PathBuf>>,
    config: &Config,
    cwd: &Path,
    is_agreed: bool,
) -> Vec<Check> {
    let fault = |name, error: &anyhow::Error, todo| Check::fault(name, faults::told(error), todo);
    let folder = match folder {
        Ok(folder) => folder,
        Err(error) => {
            return vec![fault(
                "plugins",
                &error,
                "Put a folder of plugins there, or name another one with `--plugins`",
            )];
        }
    };
    let lock = match Lock::read(config) {
        Ok(lock) => lock,
        Err(error) => return vec![fault("lock", &error, "Make it anew: `seam lock`")],
    };
    let place = Place { cwd, config, folder: folder.as_deref(), lock: lock.as_ref() };
    let found = place.found(is_agreed).await;
    found.unwrap_or_else(|error| vec![fault("plugins", &error, "Mend that: until then nothing runs")])
}

/// Where they are.
struct Place<'a> {
    cwd: &'a Path,
    config: &'a Config,
    folder: Option<&'a Path>,
    lock: Option<&'a Lock>,
}

impl Place<'_> {
    async fn found(&self, is_agreed: bool) -> Result<Vec<Check>> {
        let Self { config, folder, lock, .. } = *self;
        let wanted = Wanted { around: &[], folder, config, lock, in_force: &[] };
        if !is_agreed {
            return Ok(self.surveyed(&loading::survey(&wanted).await?));
        }
        Ok(match loading::load_inert(&wanted).await? {
            Ok(loaded) => self.loaded(&loaded),
            Err(not_loaded) => self::not_loaded(&not_loaded),
        })
    }

    /// What loads of a folder while nothing runs.
    fn surveyed(&self, Survey { own, left_out, .. }: &Survey) -> Vec<Check> {
        [self.there(own)].into_iter().chain(left_out.iter().map(self::left_out)).collect()
    }

    fn loaded(&self, loaded: &Loaded) -> Vec<Check> {
        let mut checks = vec![self.there(&loaded.own)];
        checks.extend(loaded.left_out.iter().map(left_out));
        let misnamed = self.config.check_names(&loaded.names()).err();
        checks.extend(misnamed.map(|error| {
            Check::fault(
                "plugins",
                faults::told(&error),
                "Correct the name, or remove the settings: nothing runs with them",
            )
        }));
        let places = granted::places(self.cwd, self.config, self.folder);
        let refused = loaded.own.iter().filter_map(|plugin| granted::told(plugin.name(), plugin.grants(), &places));
        checks.extend(refused.map(|refused| Check::fault("plugins", refused, sentence(granted::REMEDY))));
        checks.extend(self.lock.map(|_| match &*loaded.unlocked {
            [] => Check::ok("lock", format!("the plugins are as {} has them", Lock::file(self.config).display())),
            differences => {
                Check::note("lock", differences.join("; "), "`seam lock` shows what changed, and approves it")
            }
        }));
        checks
    }

    /// Those that load.
    fn there(&self, own: &[Plugin]) -> Check {
        let Some(folder) = self.folder else {
            return Check::ok("plugins", "none: there is no folder `.seam/plugins`");
        };
        let folder = folder.display();
        let names: Vec<String> = own.iter().map(|plugin| one_line(plugin.name(), SHOWN)).collect();
        let found = match names.len() {
            0 => format!("none in {folder}"),
            1 => format!("1 in {folder} loads: {}", names.concat()),
            count => format!("{count} in {folder} load: {}", names.join(", ")),
        };
        Check::ok("plugins", found)
    }
}

/// One without which a run goes on.
fn left_out(LeftOut { name, why, .. }: &LeftOut) -> Check {
    Check::note("plugins", format!("`{}` is left out", one_line(name, SHOWN)), sentence(why))
}

fn not_loaded(NotLoaded { faults, remedy, .. }: &NotLoaded) -> Vec<Check> {
    // The remedy goes on behind "nothing was run", and the reason of that is not told here.
    let todo = remedy.split_once("cannot refuse. ").map_or(&**remedy, |(_, todo)| todo);
    let todo = sentence(todo.trim_start_matches(['.', ',', ';', ':', ' ']));
    faults.iter().map(|fault| Check::fault("plugins", fault, &*todo)).collect()
}

/// It begins with a capital letter, and ends without a point.
fn sentence(text: &str) -> String {
    let mut letters = text.trim_end_matches('.').chars();
    letters.next().into_iter().flat_map(char::to_uppercase).chain(letters).collect()
}
