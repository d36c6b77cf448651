//! What `seam lock` approves, as a person reads it.

use seam_plugins::audit::Pair;

use crate::lock::Lock;
use crate::terminal::audit_difference::{leaks, share};
use crate::terminal::audit_table::Look;
use crate::terminal::audit_text::shown;
use crate::terminal::grants;

/// One block for each plugin that is not as it was.
pub(crate) fn render(pairs: &[Pair], old: &Lock, new: &Lock) -> String {
    let look = Look::of_stdout();
    let blocks: Vec<String> = pairs.iter().filter_map(|pair| block(pair, old, new, look)).collect();
    blocks.iter().map(|block| format!("{block}\n")).collect()
}

fn block(pair: &Pair, old: &Lock, new: &Lock, look: Look) -> Option<String> {
    let (then, now) = (old.plugins.get(&pair.name), new.plugins.get(&pair.name));
    let of = |side: Option<&crate::lock::Locked>| side.map(|it| grants::lines(&it.grants)).unwrap_or_default();
    let (given_then, given_now) = (of(then), of(now));
    let what = match (then, now) {
        (None, _) => "new".to_owned(),
        (_, None) => "gone".to_owned(),
        (Some(then), Some(now)) if then.sha256 != now.sha256 => "another file".to_owned(),
        (Some(then), Some(now)) => match then.changes(now).as_slice() {
            [] => return None,
            changes => format!("the same file, {}", changes.join(", ")),
        },
    };
    let difference = pair.difference();
    let is_empty = difference.gained.is_empty() && difference.lost.is_empty() && given_then == given_now;
    let nothing = if is_empty { "; it gained nothing and lost nothing" } else { "" };
    let mut text = format!("{}  {what}{nothing}\n", look.style.bold(&shown(&pair.name)));
    let side = |side: &Option<Result<seam_plugins::Audit, _>>| side.as_ref().and_then(|it| it.as_ref().ok().cloned());
    if now.is_some() {
        text.push_str(&leaks(side(&pair.old).as_ref(), side(&pair.new).as_ref(), look));
    }
    text.push_str(&share(["+ decides", "+ reaches"], &difference.gained, look));
    text.push_str(&share(["- decides", "- reaches"], &difference.lost, look));
    let only = |one: &[String], other: &[String], sign: &str| -> String {
        let lines = one.iter().filter(|line| !other.contains(line));
        lines.map(|line| format!("  {:<12}{line}\n", format!("{sign} granted"))).collect()
    };
    text.push_str(&only(&given_now, &given_then, "+"));
    text.push_str(&only(&given_then, &given_now, "-"));
    Some(text)
}
