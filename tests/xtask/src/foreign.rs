//! The test plugins in other languages than Rust: each is built in `target/foreign/build`, by compilers installed there
//! too, and only when what it is made of has changed.

mod toolchains;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::files;
use crate::steps::{cargo, root, run};

/// The world in each plugin's `wit/plugin.wit`.
const WORLD: &str = "plugin";

/// How a language makes a component: in its build folder, into a file.
type Build = fn(&Path, &Path) -> Result<(), String>;

const LANGUAGES: [(&str, Build); 3] = [("c", c), ("go", go), ("javascript", javascript)];

/// Builds the plugin of each language and puts it into `folder`.
pub(crate) fn guests(folder: &Path) -> Result<(), String> {
    for (language, build) in LANGUAGES {
        let component = component(language, build).map_err(|error| format!("test plugin in {language}: {error}"))?;
        files::copy(&component, &folder.join(format!("{language}.wasm")))?;
    }
    Ok(())
}

/// Installs the package that session files are exchanged with, and gives its folder.
pub(crate) fn reference() -> Result<PathBuf, String> {
    Ok(toolchains::reference()?.join("node_modules/@earendil-works/pi-agent-core"))
}

/// Installs what drives a browser.
pub(crate) fn browser() -> Result<(), String> {
    toolchains::browser().map(drop)
}

/// The component of a language, built if it is not there or was made of something else.
fn component(language: &str, build: Build) -> Result<PathBuf, String> {
    let source = root().join("tests/guests").join(language);
    let component = home().join("built").join(format!("{language}.wasm"));
    let stamp = component.with_extension("stamp");
    let made_of = made_of(&source)?;
    if component.is_file() && fs::read_to_string(&stamp).is_ok_and(|stamp| stamp == made_of) {
        return Ok(component);
    }
    println!("building the test plugin in {language}");
    let _absent = fs::remove_file(&stamp);
    files::create(&home().join("built"))?;
    let work = home().join("build").join(language);
    files::create_empty(&work)?;
    files::copy_all(&source, &work)?;
    files::copy_all(&root().join("wit"), &work.join("wit/deps/seam-harness"))?;
    build(&work, &component)?;
    files::write(&stamp, made_of)?;
    Ok(component)
}

/// All that decides what is built: the sources, the contract, the generator of bindings and what is in these two files.
fn made_of(source: &Path) -> Result<String, String> {
    let root = root();
    let mut all = [include_str!("foreign.rs"), include_str!("foreign/toolchains.rs")].concat();
    for part in [source, &root.join("wit"), &root.join("guest-sdk/generate"), &root.join("Cargo.lock")] {
        for file in files::list(part)? {
            all.push_str(&format!("\n{}\n{}", file.display(), files::read(&file)?));
        }
    }
    Ok(all)
}

fn c(work: &Path, component: &Path) -> Result<(), String> {
    run(generate(work).args(["c", "wit", WORLD, "."]))?;
    let mut zig = Command::new(toolchains::zig()?);
    zig.args(["cc", "-target", "wasm32-wasi", "-mexec-model=reactor", "-std=c11", "-Wall", "-Wextra", "-Werror"]);
    // A stack of 64 KiB: by default it takes 16 MiB of memory.
    zig.args(["-Os", "-Wl,--strip-all", "-Wl,-z,stack-size=65536"]);
    zig.args(["plugin.c", "seam.c", "seam_component_type.o", "-o", "core.wasm"]);
    for cache in ["ZIG_GLOBAL_CACHE_DIR", "ZIG_LOCAL_CACHE_DIR"] {
        zig.env(cache, home().join("zig-cache"));
    }
    run(zig.current_dir(work))?;
    run(generate(work).args(["componentize", "wit", WORLD, "core.wasm"]).arg(component))
}

fn go(work: &Path, component: &Path) -> Result<(), String> {
    run(generate(work).args(["go", "wit", WORLD, "."]))?;
    let module = work.join("go.mod");
    let runtime = go_runtime()?;
    let module_text = files::read(&module)?;
    files::write(&module, format!("{module_text}\nreplace go.bytecodealliance.org/pkg => {}\n", runtime.display()))?;
    let mut go = Command::new(toolchains::go()?);
    go.args(["build", "-trimpath", "-buildvcs=false", "-buildmode=c-shared", "-o", "core.wasm"]);
    // The bindings call `runtime.sbrk`, which the linker forbids by default.
    go.args(["-ldflags=-s -w -checklinkname=0", "."]);
    go.envs([("GOOS", "wasip1"), ("GOARCH", "wasm"), ("GOTOOLCHAIN", "local"), ("GOENV", "off")]);
    go.envs([("GOPROXY", "off"), ("GOSUMDB", "off"), ("GOFLAGS", "-mod=mod")]);
    go.env("GOCACHE", home().join("go-cache")).env("GOPATH", home().join("go-path")).env_remove("GOROOT");
    run(go.current_dir(work))?;
    run(generate(work).args(["componentize", "wit", WORLD, "core.wasm"]).arg(component).arg("stub.wat"))
}

fn javascript(work: &Path, component: &Path) -> Result<(), String> {
    let mut node = Command::new("node");
    node.arg(toolchains::componentize_qjs()?);
    node.args(["--wit", "wit", "--world", WORLD, "--js", "plugin.js", "--sync", "--stub-wasi", "--output"]);
    run(node.arg(component).current_dir(work).stdout(Stdio::null()))
}

/// The generator of bindings and components.
fn generate(work: &Path) -> Command {
    let mut generate = cargo(work);
    generate.args(["run", "--quiet", "--package", "seam-guest-generate", "--manifest-path"]);
    generate.arg(root().join("Cargo.toml")).arg("--");
    generate
}

/// The package that Go's bindings import. It lies in the crate that makes them.
fn go_runtime() -> Result<PathBuf, String> {
    let mut metadata = cargo(&root());
    // Any platform will do; without one, what all others need would be downloaded.
    metadata.args(["metadata", "--format-version=1", "--filter-platform=x86_64-unknown-linux-gnu"]);
    let output = metadata.stderr(Stdio::inherit()).output().map_err(|error| format!("{metadata:?}: {error}"))?;
    let text = String::from_utf8_lossy(&output.stdout);
    let mut crates = text.split(r#""manifest_path":""#).filter_map(|rest| Path::new(rest.split('"').next()?).parent());
    let wanted =
        |folder: &&Path| folder.file_name().is_some_and(|name| name.to_string_lossy().starts_with("wit-bindgen-go-"));
    let found = crates.find(wanted).map(|folder| folder.join("src/pkg"));
    found.ok_or_else(|| "`cargo metadata` does not name the crate `wit-bindgen-go`".to_owned())
}

/// Where the compilers and what they make are.
fn home() -> PathBuf {
    root().join("target/foreign")
}
