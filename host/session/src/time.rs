//! Points in time as the format writes them: ISO 8601 in UTC with milliseconds for entries, and milliseconds since 1970
//! for messages.

use std::time::{SystemTime, UNIX_EPOCH};

#[cfg(test)]
mod tests;

const DAY: i64 = 86_400_000;
/// 1970-01-01, in days since 0000-03-01.
const EPOCH: i64 = 719_468;
/// The days of 400 years.
const ERA: i64 = 146_097;

/// Now, in milliseconds since 1970.
pub(crate) fn now() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}

/// As the format writes it: `2026-11-30T14:37:43.120Z`.
pub fn iso(millis: i64) -> String {
    let (days, rest) = (millis.div_euclid(DAY), millis.rem_euclid(DAY));
    let (year, month, day) = date(days);
    let (hour, minute, second) = (rest / 3_600_000, rest / 60_000 % 60, rest / 1000 % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{:03}Z", rest % 1000)
}

/// Milliseconds since 1970. Nothing for a text that is no such time: the reference has no number for it either.
pub fn millis(iso: &str) -> Option<i64> {
    let (date, clock) = iso.split_once('T')?;
    let mut date = date.splitn(3, '-');
    let (year, month, day) = (number(date.next()?, 4)?, number(date.next()?, 2)?, number(date.next()?, 2)?);
    let zone = clock.find(['Z', '+', '-'])?;
    let (clock, zone) = clock.split_at(zone);
    let (clock, fraction) = clock.split_once('.').unwrap_or((clock, "0"));
    let mut clock = clock.splitn(3, ':');
    let (hour, minute) = (number(clock.next()?, 2)?, number(clock.next()?, 2)?);
    let second = clock.next().map_or(Some(0), |second| number(second, 2))?;
    let in_range = (1..=12).contains(&month) && (1..=31).contains(&day) && hour < 24 && minute < 60 && second < 60;
    let seconds = hour * 3600 + minute * 60 + second;
    in_range.then_some(())?;
    Some(days(year, month, day) * DAY + seconds * 1000 + thousandths(fraction)? - offset(zone)?)
}

/// A number of exactly so many digits.
fn number(text: &str, digits: usize) -> Option<i64> {
    let all = text.len() == digits && text.bytes().all(|byte| byte.is_ascii_digit());
    all.then(|| text.parse().ok())?
}

/// The first three digits after the point.
fn thousandths(fraction: &str) -> Option<i64> {
    let digits: String = fraction.chars().chain("00".chars()).take(3).collect();
    number(&digits, 3)
}

/// The milliseconds that a zone is ahead of UTC.
fn offset(zone: &str) -> Option<i64> {
    if zone == "Z" {
        return Some(0);
    }
    let (sign, clock) = zone.split_at_checked(1)?;
    let (hour, minute) = clock.split_once(':')?;
    let ahead = (number(hour, 2)? * 60 + number(minute, 2)?) * 60_000;
    Some(if sign == "-" { -ahead } else { ahead })
}

/// The date of a day since 1970. Years begin in March here, so that a leap day is the last of its year.
fn date(days: i64) -> (i64, i64, i64) {
    let days = days + EPOCH;
    let (era, of_era) = (days.div_euclid(ERA), days.rem_euclid(ERA));
    let year = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let from_march = (5 * of_year + 2) / 153;
    let day = of_year - (153 * from_march + 2) / 5 + 1;
    let month = if from_march < 10 { from_march + 3 } else { from_march - 9 };
    (era * 400 + year + i64::from(month <= 2), month, day)
}

/// The days from 1970 to a date.
fn days(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let (era, of_era) = (year.div_euclid(400), year.rem_euclid(400));
    let from_march = (month + 9) % 12;
    let of_year = (153 * from_march + 2) / 5 + day - 1;
    era * ERA + of_era * 365 + of_era / 4 - of_era / 100 + of_year - EPOCH
}
