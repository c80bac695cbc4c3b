//! Builds again when a built-in template is added or changed.

fn main() {
    println!("cargo:rerun-if-changed=templates");
}
