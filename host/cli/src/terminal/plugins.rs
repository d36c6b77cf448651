//! The plugins of a workspace as a person reads them: what they have done, and below it what they may do.

use seam_plugins::Plugin;

use crate::commands::plugins::figures::Figures;
use crate::commands::plugins::{Known, Listing};
use crate::commands::run::plugins::LeftOut;
use crate::export::words::size;
use crate::terminal::audit_table::Look;
use crate::terminal::audit_text::{paragraph, shown};
use crate::terminal::grants;
use crate::terminal::journal::took;
use crate::terminal::style::clean;

/// How wide the column of the names is. With the others a line fits the narrowest terminal.
const NAME: usize = 28;
/// How much of a digest is shown.
const DIGEST: usize = 12;

/// All of it.
pub(crate) fn render(listing: &Listing) -> String {
    let look = Look::of_stdout();
    let mut text = head(listing);
    if !listing.plugins.is_empty() {
        text.push_str(&format!("\n{:<NAME$}{:>7}{:>8}{:>8}{:>9}\n", "", "calls", "failed", "p50", "p99"));
    }
    listing.plugins.iter().for_each(|known| text.push_str(&block(known, look)));
    if !listing.left_out.is_empty() {
        text.push_str(&format!("\n{}\n", look.style.red("not loaded")));
    }
    listing.left_out.iter().for_each(|left_out| text.push_str(&not_loaded(left_out, look)));
    text
}

fn head(listing: &Listing) -> String {
    let Some(folder) = &listing.folder else {
        return "no plugins: there is no folder `.seam/plugins` here\n".to_owned();
    };
    let count = match listing.plugins.len() {
        1 => "1 plugin".to_owned(),
        count => format!("{count} plugins"),
    };
    let sessions = match listing.sessions {
        0 => "no session has a journal yet".to_owned(),
        1 => "figures are from 1 session".to_owned(),
        count => format!("figures are from {count} sessions"),
    };
    format!("{count} in {}, in the order in which they are asked\n{sessions}\n", shown(&folder.display().to_string()))
}

fn block(Known { plugin, seams, total, state }: &Known, look: Look) -> String {
    let mut text = row(&shown(plugin.name()), total, |name| look.style.bold(name));
    let (asked, never): (Vec<_>, Vec<_>) = seams.iter().partition(|(_, figures)| figures.calls() > 0);
    asked.iter().for_each(|(seam, figures)| text.push_str(&row(&format!("  {seam}"), figures, str::to_owned)));
    let never: Vec<&str> = never.iter().map(|(seam, _)| *seam).collect();
    let granted = grants::lines(plugin.grants());
    let kept = if *state == 0 { "nothing".to_owned() } else { size(*state) };
    let about = [
        ("not asked", never.join(", ")),
        ("granted", if granted.is_empty() { "nothing".to_owned() } else { granted.join(", ") }),
        ("state", kept),
        ("file", file(plugin)),
    ];
    about.iter().filter(|(_, what)| !what.is_empty()).for_each(|(name, what)| {
        text.push_str(&paragraph(name, what, look.width));
    });
    text
}

/// A shadow is told: it looks as if it were in force.
fn file(plugin: &Plugin) -> String {
    let digest = plugin.digest().to_string();
    let mode = if plugin.is_shadow() { ", in the shadow: it is asked, and changes nothing" } else { "" };
    format!("sha256 {}{mode}", digest.get(..DIGEST).unwrap_or(&digest))
}

/// A name that is too long for its column has a line of its own.
fn row(name: &str, figures: &Figures, set: impl Fn(&str) -> String) -> String {
    let length = name.chars().count();
    let name =
        if length < NAME { set(name) + &" ".repeat(NAME - length) } else { format!("{}\n{:NAME$}", set(name), "") };
    let time = |of_100| figures.percentile(of_100).map_or("-".to_owned(), |us| took(us.into()));
    let (calls, failures) = (figures.calls(), figures.failures);
    format!("{name}{calls:>7}{failures:>8}{:>8}{:>9}\n", time(50), time(99))
}

/// Lines to add to the settings stay as they are.
fn not_loaded(LeftOut { file, why, .. }: &LeftOut, look: Look) -> String {
    let name = shown(&file.file_name().unwrap_or_default().to_string_lossy());
    let why = clean(why);
    let (why, lines) = why.split_once('\n').unwrap_or((&why, ""));
    let lines: String = lines.lines().map(|line| format!("          {line}\n")).collect();
    format!("  {name}\n{}{lines}", paragraph("", why, look.width))
}
