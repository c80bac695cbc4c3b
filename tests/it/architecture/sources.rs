//! The source files of a crate and what each uses of the others, as their syntax says it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use syn::visit::{self, Visit};
use syn::{Attribute, File, Item, ItemMod, ItemUse, UseTree};

use super::files_below;
use crate::harness::read;

/// A path from the root of the crate: `["floor", "call", "Call"]`.
pub(super) type Absolute = Vec<String>;

/// The modules of a crate, each a file, by path.
pub(super) struct Sources(BTreeMap<Absolute, Module>);

/// What one file says of others.
#[derive(Default)]
struct Module {
    /// Its own path.
    path: Absolute,
    /// Names that are imported or declared as modules here, and what they stand for.
    names: BTreeMap<String, Absolute>,
    /// Every path that is written here, from the root; those into other crates are left out.
    used: Vec<Absolute>,
}

impl Sources {
    /// Reads the crate whose root is `source/lib.rs`; tests are left out.
    pub(super) fn read(source: &Path) -> Self {
        let below = |path: &Path| path.strip_prefix(source).expect("below").to_owned();
        let is_code = |path: &PathBuf| {
            let parts: Vec<_> =
                below(path).with_extension("").iter().map(ToOwned::to_owned).collect();
            !parts.iter().any(|part| part == "tests" || part == "main")
        };
        let modules = files_below(source).into_iter().filter(is_code).filter_map(|path| {
            let parts = below(&path).with_extension("");
            let parts = parts.iter().map(|part| part.to_string_lossy().into_owned());
            let own = parts.filter(|part| part != "lib").collect::<Absolute>();
            Some((own.clone(), Module::parse(own, &read(&path))?))
        });
        Self(modules.collect())
    }

    /// The sources of a made-up crate: the path of each module with its code.
    pub(super) fn made_up<const N: usize>(files: [(&str, &str); N]) -> Self {
        let modules = files.map(|(path, code)| {
            let own: Absolute =
                path.split("::").filter(|part| !part.is_empty()).map(str::to_owned).collect();
            let module = Module::parse(own.clone(), code);
            (own, module.expect("a module"))
        });
        Self(modules.into())
    }

    /// The files that each file uses, by path.
    pub(super) fn arrows(&self) -> BTreeMap<String, BTreeSet<String>> {
        let name = |path: &Absolute| path.join("/");
        let each = self.0.iter().map(|(own, module)| {
            let used = module.used.iter().filter_map(|path| self.home(path, 0));
            let others = used.filter(|home| home != own && !home.is_empty());
            (name(own), others.map(|home| name(&home)).collect())
        });
        each.collect()
    }

    /// The file that defines what a path names; what is only passed on by a file is looked for behind it. `None` for a
    /// module as a whole: importing it says nothing of what is used.
    fn home(&self, path: &Absolute, depth: usize) -> Option<Absolute> {
        let length = (0..=path.len()).rev().find(|&n| self.0.contains_key(&path[..n]))?;
        let module = &self.0[&path[..length]];
        let name = path.get(length)?;
        match module.names.get(name) {
            Some(meant) if depth < 9 => {
                let whole = meant.iter().chain(&path[length + 1..]).cloned().collect();
                self.home(&whole, depth + 1)
            }
            _ => Some(module.path.clone()),
        }
    }
}

impl Module {
    /// `None` for what is no module of its own but included in one.
    fn parse(path: Absolute, code: &str) -> Option<Self> {
        let file: File = syn::parse_str(code).ok()?;
        let mut module = Self { path, ..Self::default() };
        module.declare(&file);
        module.visit_file(&file);
        Some(module)
    }

    /// Notes the names that the file imports and the modules that it declares.
    fn declare(&mut self, file: &File) {
        for item in &file.items {
            if let Item::Mod(ItemMod { ident, attrs, .. }) = item
                && !is_test(attrs)
            {
                let child = self.path.iter().cloned().chain([ident.to_string()]).collect();
                self.names.insert(ident.to_string(), child);
            }
        }
        for item in &file.items {
            if let Item::Use(ItemUse { tree, attrs, .. }) = item
                && !is_test(attrs)
            {
                self.import(&mut Vec::new(), tree);
            }
        }
    }

    fn import(&mut self, before: &mut Vec<String>, tree: &UseTree) {
        match tree {
            UseTree::Path(path) => {
                before.push(path.ident.to_string());
                self.import(before, &path.tree);
                before.pop();
            }
            UseTree::Group(group) => group.items.iter().for_each(|item| self.import(before, item)),
            UseTree::Name(name) => {
                self.bind(before, &name.ident.to_string(), &name.ident.to_string());
            }
            UseTree::Rename(rename) => {
                self.bind(before, &rename.ident.to_string(), &rename.rename.to_string());
            }
            UseTree::Glob(_) => {}
        }
    }

    fn bind(&mut self, before: &[String], name: &str, local: &str) {
        let last = (name != "self").then(|| name.to_owned());
        let local = if local == "self" { before.last().map_or("", String::as_str) } else { local };
        let written: Vec<String> = before.iter().cloned().chain(last).collect();
        if let Some(meant) = self.absolute(&written) {
            self.used.push(meant.clone());
            self.names.insert(local.to_owned(), meant);
        }
    }

    /// A path as it is written here, from the root of the crate; `None` if it leads into another crate.
    fn absolute(&self, written: &[String]) -> Option<Absolute> {
        let (first, mut rest) = written.split_first()?;
        let mut base = match first.as_str() {
            "crate" => Vec::new(),
            "self" => self.path.clone(),
            "super" => self.path[..self.path.len().checked_sub(1)?].to_vec(),
            name => self.names.get(name)?.clone(),
        };
        while rest.first().is_some_and(|part| part == "super") {
            base.pop();
            rest = &rest[1..];
        }
        base.extend_from_slice(rest);
        Some(base)
    }
}

impl<'a> Visit<'a> for Module {
    fn visit_item_mod(&mut self, item: &'a ItemMod) {
        if !is_test(&item.attrs) {
            visit::visit_item_mod(self, item);
        }
    }

    fn visit_path(&mut self, path: &'a syn::Path) {
        let written: Vec<String> =
            path.segments.iter().map(|part| part.ident.to_string()).collect();
        if written.len() > 1
            && let Some(meant) = self.absolute(&written)
        {
            self.used.push(meant);
        }
        visit::visit_path(self, path);
    }
}

fn is_test(attrs: &[Attribute]) -> bool {
    let is_cfg = |attr: &&Attribute| attr.path().is_ident("cfg");
    attrs
        .iter()
        .filter(is_cfg)
        .any(|attr| attr.parse_args::<syn::Ident>().is_ok_and(|name| name == "test"))
}
