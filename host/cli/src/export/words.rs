//! Numbers, times and sizes as a person reads them.

use seam_session::time;

/// `1,234,567`.
pub(crate) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let first = digits.len() % 3;
    let mut grouped = String::new();
    for (place, digit) in digits.char_indices() {
        if place > 0 && place % 3 == first {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

/// A size in bytes.
pub(crate) fn size(bytes: usize) -> String {
    match bytes {
        1 => "1 byte".to_owned(),
        0..1000 => format!("{bytes} bytes"),
        1000..1_000_000 => format!("{}.{} KB", bytes / 1000, bytes % 1000 / 100),
        _ => format!("{}.{} MB", bytes / 1_000_000, bytes % 1_000_000 / 100_000),
    }
}

/// A time that something took.
pub(crate) fn took(micros: u64) -> String {
    match micros {
        0..1000 => format!("{micros} µs"),
        1000..10_000 => format!("{}.{} ms", micros / 1000, micros % 1000 / 100),
        10_000..1_000_000 => format!("{} ms", micros / 1000),
        1_000_000..60_000_000 => format!("{}.{} s", micros / 1_000_000, micros % 1_000_000 / 100_000),
        _ => length(micros / 1000),
    }
}

/// A length of time in milliseconds, to the second.
pub(crate) fn length(millis: u64) -> String {
    let (seconds, minutes, hours) = (millis / 1000 % 60, millis / 60_000 % 60, millis / 3_600_000);
    match (hours, minutes) {
        (0, 0) if millis < 10_000 => format!("{}.{} s", seconds, millis % 1000 / 100),
        (0, 0) => format!("{seconds} s"),
        (0, _) => format!("{minutes} min {seconds} s"),
        (1..48, _) => format!("{hours} h {minutes} min"),
        _ => format!("{} days {} h", hours / 24, hours % 24),
    }
}

/// A day and a time in UTC, to the second: `2026-11-30 14:37:43`.
pub(crate) fn moment(millis: u64) -> String {
    iso(millis).chars().take(19).collect::<String>().replace('T', " ")
}

/// A time of day in UTC, to the millisecond: `14:37:43.120`.
pub(crate) fn clock(millis: u64) -> String {
    iso(millis).chars().skip(11).take(12).collect()
}

fn iso(millis: u64) -> String {
    time::iso(i64::try_from(millis).unwrap_or(i64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_read_well() {
        assert_eq!([0, 12, 1234, 1_234_567].map(grouped), ["0", "12", "1,234", "1,234,567"]);
        assert_eq!([1, 999, 1500, 20_000_000].map(size), ["1 byte", "999 bytes", "1.5 KB", "20.0 MB"]);
        assert_eq!([42, 1500, 42_000, 2_500_000].map(took), ["42 µs", "1.5 ms", "42 ms", "2.5 s"]);
        let lengths = [1200, 61_000, 3_700_000, 200_000_000].map(length);
        assert_eq!(lengths, ["1.2 s", "1 min 1 s", "1 h 1 min", "2 days 7 h"]);
        assert_eq!(
            (moment(1_796_058_550_083), clock(1_796_058_550_083)),
            ("2026-11-30 17:09:10".to_owned(), "17:09:10.083".to_owned())
        );
    }
}
