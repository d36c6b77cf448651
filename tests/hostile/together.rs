//! All of them at once.

/// In a process of its own: other tests would be measured too.
#[test]
#[cfg(target_os = "linux")]
fn the_host_stays_responsive_its_memory_bounded_and_every_gate_in_force() {
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_hostile")).arg("--together").output().unwrap();
    let (told, faults) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{told}\n{faults}");
}
