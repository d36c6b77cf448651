//! The known models as a person reads them: a line each, below how it stands with the key of their provider.

use seam_loop::ThinkingLevel;
use seam_providers::{About, Facts, KeySign, Known};

use crate::commands::models::{Chosen, Group};
use crate::terminal::audit_table::Look;
use crate::terminal::audit_text::{shown, wrapped};
use crate::wanted::level_name;

/// How wide the columns between the name and the levels are.
const COLUMNS: usize = 39;
/// The levels, from the lowest to the highest.
const LEVELS: [ThinkingLevel; 6] = [
    ThinkingLevel::Minimal,
    ThinkingLevel::Low,
    ThinkingLevel::Medium,
    ThinkingLevel::High,
    ThinkingLevel::Xhigh,
    ThinkingLevel::Max,
];

/// All of it, with a line about the model that is chosen.
pub(crate) fn render(groups: &[Group], chosen: Option<&Chosen<'_>>) -> String {
    let look = Look::of_stdout();
    let (open, known): (Vec<_>, Vec<_>) = groups.iter().partition(|group| group.models.is_empty());
    let widest = |text: fn(&Known) -> String| {
        let models = known.iter().flat_map(|group| &group.models);
        models.map(|known| text(known).chars().count()).max().unwrap_or_default()
    };
    let column = widest(name).min(look.width.saturating_sub(COLUMNS + widest(levels)));
    let mut text = String::new();
    if !known.is_empty() {
        let heads = ["window", "output", "in", "out", "cached", "img", "thinking"];
        text.push_str(&look.style.dim(&line("", column, heads)));
    }
    for group in known {
        text.push_str(&head(group, look));
        group.models.iter().for_each(|known| text.push_str(&row(known, column)));
    }
    for Group { provider, about, .. } in open {
        let name = format!("{}/NAME", shown(provider));
        let line = format!("{name}: any model of {}; {}", shown(&about.base_url), key(about));
        let lines = wrapped(&line, look.width).join("\n  ");
        text.push_str(&format!("\n{}\n", lines.replacen(&name, &look.style.bold(&name), 1)));
    }
    if let Some(Chosen { text: model, file, .. }) = chosen {
        let line = format!("chosen: {}, by `model` in {}", shown(model), shown(&file.display().to_string()));
        text.push_str(&format!("\n{}\n", wrapped(&line, look.width).join("\n")));
    }
    text
}

fn head(Group { provider, about, .. }: &Group, look: Look) -> String {
    format!("\n{}: {}\n", look.style.bold(&shown(provider)), key(about))
}

/// How it stands with a key, without the key.
pub(crate) fn key(about: &About) -> String {
    match &about.key {
        KeySign::Variable(name) => format!("the key is in `{name}`"),
        KeySign::Command(program) => format!("the key is what `{}` prints", shown(program)),
        KeySign::Missing(names) => format!("no key: {} not set", are(names)),
        KeySign::NotNeeded => "no key is needed".to_owned(),
    }
}

/// "`A` is", "`A` and `B` are".
fn are(names: &[String]) -> String {
    let quoted: Vec<String> = names.iter().map(|name| format!("`{}`", shown(name))).collect();
    format!("{} {}", quoted.join(" and "), if names.len() == 1 { "is" } else { "are" })
}

fn name(known: &Known) -> String {
    shown(&format!("{}/{}", known.model.provider, known.model.id))
}

/// A name that is too long for its column has a line of its own.
fn row(known: &Known, column: usize) -> String {
    let Facts { window, output, images, cost, .. } = &known.facts;
    let prices = cost.map(|cost| [price(cost.input), price(cost.output), of_cache(cost.cache_read)]);
    let [input, written, cached] = prices.unwrap_or_else(|| ["-", "-", "-"].map(str::to_owned));
    let images = if *images { "yes" } else { "no" };
    let levels = levels(known);
    let cells = [&tokens(*window), &tokens(*output), &input, &written, &cached, images, &levels];
    let name = name(known);
    match name.chars().count() > column {
        true => format!("{name}\n{}", line("", column, cells)),
        false => line(&name, column, cells),
    }
}

fn line(name: &str, column: usize, [window, output, input, written, cached, images, levels]: [&str; 7]) -> String {
    let cells =
        format!("{name:<column$} {window:>6} {output:>6} {input:>5} {written:>5} {cached:>6} {images:<3}  {levels}");
    format!("{}\n", cells.trim_end())
}

/// `1.05M`, `65.5k`, `500`.
fn tokens(number: u32) -> String {
    let short = |unit: f64, places: usize, sign: &str| {
        let text = format!("{:.places$}", f64::from(number) / unit);
        format!("{}{sign}", text.trim_end_matches('0').trim_end_matches('.'))
    };
    match number {
        0..1000 => number.to_string(),
        1000..1_000_000 => short(1e3, 1, "k"),
        _ => short(1e6, 2, "M"),
    }
}

/// Dollars: cents, and parts of them where there are some.
fn price(dollars: f64) -> String {
    match dollars {
        100.0.. => format!("{dollars:.0}"),
        10.0.. => format!("{dollars:.2}"),
        _ => {
            let exact = format!("{dollars:.4}");
            let (cents, parts) = exact.split_at_checked(4).unwrap_or((&exact, ""));
            format!("{cents}{}", parts.trim_end_matches('0'))
        }
    }
}

/// A price for what the cache gives: one that is not there is none.
fn of_cache(dollars: f64) -> String {
    if dollars > 0.0 { price(dollars) } else { "-".to_owned() }
}

/// The levels, where more of them follow one another by the first and the last: `low–high, max`.
fn levels(known: &Known) -> String {
    ranges(&known.facts.thinking.keys().copied().collect::<Vec<_>>())
}

fn ranges(there: &[ThinkingLevel]) -> String {
    let runs = LEVELS.split(|level| !there.contains(level)).filter_map(|run| match run {
        [] => None,
        [one] => Some(level_name(*one)),
        [first, .., last] => Some(format!("{}–{}", level_name(*first), level_name(*last))),
    });
    let runs: Vec<String> = runs.collect();
    if runs.is_empty() { "-".to_owned() } else { runs.join(", ") }
}

#[cfg(test)]
mod tests {
    use seam_loop::ThinkingLevel::{High, Low, Max, Medium, Minimal, Off, Xhigh};

    use super::{price, ranges, tokens};

    #[test]
    fn numbers_are_short_and_say_enough() {
        let numbers = [0, 999, 8_192, 65_536, 128_000, 999_999, 1_000_000, 1_048_576, 2_000_000];
        let short = ["0", "999", "8.2k", "65.5k", "128k", "1000k", "1M", "1.05M", "2M"];
        assert_eq!(numbers.map(tokens), short);
        let prices = [0.0, 0.01, 0.1, 0.075, 0.0035, 1.25, 3.0, 12.5, 150.0].map(price);
        assert_eq!(prices, ["0.00", "0.01", "0.10", "0.075", "0.0035", "1.25", "3.00", "12.50", "150"]);
    }

    #[test]
    fn levels_that_follow_one_another_are_one_range() {
        assert_eq!(ranges(&[]), "-");
        assert_eq!(ranges(&[Off]), "-");
        assert_eq!(ranges(&[Off, High]), "high");
        assert_eq!(ranges(&[Off, Low, Medium, High, Xhigh, Max]), "low–max");
        assert_eq!(ranges(&[Minimal, Low, High, Max]), "minimal–low, high, max");
    }
}
