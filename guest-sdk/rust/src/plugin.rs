//! `plugin!`: which type is the plugin, and which seams it exports. Names no seam itself.

use std::cell::RefCell;
use std::marker::PhantomData;
use std::mem::ManuallyDrop;
use std::thread::LocalKey;

/// Makes a type the plugin of this crate and exports the seams that are listed.
///
/// ```
/// # use seam::{ToolCall, ToolCallGate, Verdict};
/// #[derive(Default)]
/// struct Guard;
///
/// impl ToolCallGate for Guard {
///     fn decide(&mut self, _call: &ToolCall) -> Verdict {
///         Verdict::Proceed
///     }
/// }
///
/// seam::plugin!(Guard: tool_call);
/// # fn main() {}
/// ```
///
/// `plugin!(Guard: tool_call, tool_result)` makes the value with `Default`, when an instance starts.
/// `plugin!(Guard from config: tool_call)` makes it from the plugin's settings with `serde::Deserialize`.
///
/// The list is the plugin's power in one place, so it is checked both ways: a seam without its trait does not compile,
/// and neither does a trait whose seam is not listed. One `plugin!` per crate.
///
/// ```compile_fail
/// # use seam::{ToolCall, ToolCallGate, Verdict};
/// #[derive(Default)]
/// struct Guard;
///
/// impl ToolCallGate for Guard {
///     fn decide(&mut self, _call: &ToolCall) -> Verdict {
///         Verdict::Proceed
///     }
/// }
///
/// seam::plugin!(Guard: tool_result);
/// # fn main() {}
/// ```
///
/// ```compile_fail
/// # use seam::{ToolCall, ToolCallGate, ToolResult, ToolResultPatch, Outcome, Verdict};
/// # #[derive(Default)]
/// # struct Guard;
/// impl ToolCallGate for Guard {
///     // ...
/// #     fn decide(&mut self, _call: &ToolCall) -> Verdict {
/// #         Verdict::Proceed
/// #     }
/// }
///
/// impl ToolResultPatch for Guard {
///     // ...
/// #     fn review(&mut self, _result: &ToolResult) -> Outcome {
/// #         Outcome::Keep
/// #     }
/// }
///
/// seam::plugin!(Guard: tool_call); // `Guard` implements `ToolResultPatch` but does not export it
/// # fn main() {}
/// ```
///
/// The value lives as long as the instance does, which the host may end after any call.
#[macro_export]
macro_rules! plugin {
    ($plugin:ident from config: $($seam:ident),+ $(,)?) => {
        $crate::__plugin!($plugin, $crate::config::read(), $($seam),+);
    };
    ($plugin:ident: $($seam:ident),+ $(,)?) => {
        $crate::__plugin!($plugin, ::core::default::Default::default(), $($seam),+);
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! __plugin {
    ($plugin:ident, $make:expr, $($seam:ident),+) => {
        const _: () = {
            impl $crate::Instance for $plugin {
                fn slot() -> &'static ::std::thread::LocalKey<$crate::Slot<Self>> {
                    ::std::thread_local!(static SLOT: $crate::Slot<$plugin> = const { $crate::Slot::empty() });
                    &SLOT
                }
                fn make() -> Self {
                    $make
                }
            }
            $(const _: () = $crate::implemented::$seam::<$plugin>();)+
            $crate::__check_deciders!($plugin, &[$(stringify!($seam)),+]);
            $crate::__check_observers!($plugin, &[$(stringify!($seam)),+]);
        };
        #[cfg(target_family = "wasm")]
        const _: () = {
            // The value is made when the instance starts: settings that cannot be read are a fault of the start, told
            // before anything runs, and not of the first call.
            #[unsafe(export_name = "_initialize")]
            extern "C" fn initialize() {
                <$plugin as $crate::Instance>::with(|_| ());
            }
        };
        #[cfg(target_family = "wasm")]
        type __SeamPlugin = $crate::Export<$plugin>;
        $(
            #[cfg(target_family = "wasm")]
            $crate::bindings::$seam::export!(__SeamPlugin with_types_in $crate::bindings::$seam);
        )+
    };
}

/// Asserts that the seam is listed or its trait not implemented. An inherent constant hides a trait's constant of the
/// same name: that tells whether the bound of the inherent one holds.
#[doc(hidden)]
#[macro_export]
macro_rules! __check_seam {
    ($plugin:ident, $listed:expr, $seam:ident, $module:ident::$trait:ident) => {
        const _: () = {
            #[allow(dead_code)]
            trait Otherwise {
                const IMPLEMENTED: bool = false;
            }
            struct Probe<T>(::core::marker::PhantomData<T>);
            impl<T> Otherwise for Probe<T> {}
            #[allow(dead_code)]
            impl<T: $crate::$module::$trait> Probe<T> {
                const IMPLEMENTED: bool = true;
            }
            let listed = $crate::listed($listed, stringify!($seam));
            assert!(
                listed || !<Probe<$plugin>>::IMPLEMENTED,
                concat!(
                    "`",
                    stringify!($plugin),
                    "` implements `",
                    stringify!($trait),
                    "` but does not export it: add `",
                    stringify!($seam),
                    "` to `seam::plugin!`"
                )
            );
        };
    };
}

/// Where the one value of the plugin lives. Never dropped: an instance ends as a whole.
#[doc(hidden)]
pub struct Slot<P>(RefCell<ManuallyDrop<Option<P>>>);

impl<P> Slot<P> {
    #[doc(hidden)]
    pub const fn empty() -> Self {
        Self(RefCell::new(ManuallyDrop::new(None)))
    }
}

/// A plugin with a place for its one value. `plugin!` implements it.
#[doc(hidden)]
pub trait Instance: Sized + 'static {
    /// The place.
    fn slot() -> &'static LocalKey<Slot<Self>>;

    /// Makes the value.
    fn make() -> Self;

    /// Runs one hook on the value, which is made when the instance starts. A component instance is never re-entered, so the value
    /// is never borrowed twice.
    fn with<R>(hook: impl FnOnce(&mut Self) -> R) -> R {
        Self::slot().with(|slot| hook(slot.0.borrow_mut().get_or_insert_with(|| start(Self::make))))
    }
}

fn start<P>(make: fn() -> P) -> P {
    #[cfg(all(target_family = "wasm", feature = "panic-message"))]
    std::panic::set_hook(Box::new(|panic| crate::log::error(&panic.to_string())));
    make()
}

/// What exports a plugin: each seam's module implements the generated `Guest` for it.
#[doc(hidden)]
pub struct Export<P>(PhantomData<P>);

/// Whether `seam` is one of `seams`.
#[doc(hidden)]
pub const fn listed(seams: &[&str], seam: &str) -> bool {
    match seams {
        [] => false,
        [first, rest @ ..] => same(first.as_bytes(), seam.as_bytes()) || listed(rest, seam),
    }
}

const fn same(left: &[u8], right: &[u8]) -> bool {
    match (left, right) {
        ([], []) => true,
        ([a, left @ ..], [b, right @ ..]) => *a == *b && same(left, right),
        _ => false,
    }
}
