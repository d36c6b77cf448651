use super::{iso, millis};

#[test]
fn known_points_in_time_have_their_text() {
    for (number, text) in [
        (0, "1970-01-01T00:00:00.000Z"),
        (951_782_400_000, "2000-02-29T00:00:00.000Z"),
        (1_700_000_001_005, "2023-11-14T22:13:21.005Z"),
        (1_795_981_863_655, "2026-11-29T19:51:03.655Z"),
        (4_107_542_399_999, "2100-02-28T23:59:59.999Z"),
        (-1, "1969-12-31T23:59:59.999Z"),
    ] {
        assert_eq!(iso(number), text);
        assert_eq!(millis(text), Some(number));
    }
}

#[test]
fn other_ways_to_write_the_same_time_are_read() {
    let same = Some(951_782_400_000);
    for text in
        ["2000-02-29T00:00:00Z", "2000-02-29T00:00Z", "2000-02-29T01:30:00.0009+01:30", "2000-02-28T23:00:00-01:00"]
    {
        assert_eq!(millis(text), same, "{text}");
    }
    assert_eq!(millis("2000-02-29T00:00:00.5Z"), Some(951_782_400_500));
}

#[test]
fn what_is_no_time_has_no_number() {
    for text in [
        "",
        "yesterday",
        "2000-13-01T00:00:00.000Z",
        "2000-02-29 00:00:00",
        "2000-02-29T25:00:00Z",
        "2000-02-29T00:00:00.xZ",
    ] {
        assert_eq!(millis(text), None, "{text}");
    }
}
