//! The shell function that takes the place of `rm`.

/// `rm` as a function for POSIX shells, which moves what it is given below `TRASH/CALL/`.
///
/// It answers as `rm` does: a missing path fails unless `-f` is given, a folder needs `-r`, the rest is still done, and
/// the status is 1 when anything failed. Each path gets a folder of its own, so no two names clash.
pub(crate) fn function(trash: &str, cwd: &str, call: &str) -> String {
    let trash = match trash.starts_with('/') {
        true => trash.to_owned(),
        false => format!("{}/{trash}", cwd.trim_end_matches('/')),
    };
    FUNCTION.replace("TRASH", &quoted(&trash)).replace("CALL", &quoted(&file_name(call)))
}

const FUNCTION: &str = r#"rm() ( # safe-delete: moves into the trash
  trash=TRASH call=CALL force='' tree='' ended='' failed=0
  for p; do case $p in
    --) break ;;
    --force) force=1 ;;
    --recursive | --dir) tree=1 ;;
    --*) ;;
    -?*)
      case $p in *f*) force=1 ;; esac
      case $p in *[rRd]*) tree=1 ;; esac ;;
  esac; done
  mkdir -p "$trash/$call" && { [ -e "$trash/.gitignore" ] || echo '*' >"$trash/.gitignore"; } || exit 1
  for p; do
    case $ended$p in
      --) ended=/ ; continue ;;
      -?*) continue ;;
    esac
    if [ ! -e "$p" ] && [ ! -L "$p" ]; then
      [ "$force" ] || { echo "rm: cannot remove '$p': No such file or directory" >&2; failed=1; }
    elif [ -d "$p" ] && [ ! -L "$p" ] && [ ! "$tree" ]; then
      echo "rm: cannot remove '$p': Is a directory" >&2; failed=1
    else
      place=$(mktemp -d "$trash/$call/XXXXXX") && mv -- "$p" "$place/" || failed=1
    fi
  done
  exit "$failed"
)
"#;

/// As one word of the shell.
fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

/// The call's id as the name of a folder.
fn file_name(id: &str) -> String {
    id.chars().map(|c| if c.is_ascii_alphanumeric() || "-_".contains(c) { c } else { '_' }).collect()
}
