//! The files of one call, written beside the earlier ones and put in their place together.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::atomic::sync_parent;
use super::error::SetError;
use super::exchange::exchange;
use super::listing::{self, LISTING};

/// Where new files are gathered if the directory itself cannot be replaced.
const INSIDE: &str = ".sbmds-new";

/// Files that appear together in a directory: written to [`FileSet::path`], they replace the earlier ones when
/// [`FileSet::commit`] is called, and are gone when it is not.
///
/// A directory that holds nothing but an earlier set changes places with the new one in one step. One that holds files of
/// others too, or cannot be renamed (a mount point, a parent that may not be written), keeps its place: the files of the
/// earlier set are removed before the new ones are moved in, so that there is never a mixture of the two.
#[derive(Debug)]
pub struct FileSet {
    directory: PathBuf,
    staging: PathBuf,
    /// Names that belong to a set here, listed or not.
    own: Vec<String>,
}

impl FileSet {
    /// Begins a set in `directory`, which is made if it is not there. `own` names the files that an earlier set may have
    /// left: they go when this one comes.
    ///
    /// # Errors
    /// If nothing can be written there.
    pub fn begin(directory: &Path, own: &[&str]) -> Result<Self, SetError> {
        let directory = resolved(directory)?;
        let own: Vec<String> = own.iter().map(|&name| name.to_owned()).collect();
        let staging = match sibling(&directory) {
            Some(sibling) if can_be_replaced(&directory, &own)? && remake(&sibling).is_ok() => sibling,
            _ => {
                let inside = directory.join(INSIDE);
                fs::create_dir_all(&directory).map_err(SetError::io("create", &directory))?;
                remake(&inside).map_err(SetError::io("create", &inside))?;
                inside
            }
        };
        Ok(Self { directory, staging, own })
    }

    /// Where the file of this name is to be written.
    pub fn path(&self, name: &str) -> PathBuf {
        self.staging.join(name)
    }

    /// Where all files are to be written.
    pub fn staging(&self) -> &Path {
        &self.staging
    }

    /// Puts the files in the place of the earlier ones; returns where they are now, sorted by name.
    ///
    /// # Errors
    /// If the disk refuses; the earlier files then stay, unless the directory is one that keeps its place.
    pub fn commit(self) -> Result<Vec<PathBuf>, SetError> {
        let names = names_in(&self.staging)?;
        listing::write(&self.staging, &names)?;
        if !self.replace_directory()? {
            self.replace_files(&names)?;
        }
        Ok(names.iter().map(|name| self.directory.join(name)).collect())
    }

    /// Replaces the directory as a whole; `false` if that cannot be done.
    fn replace_directory(&self) -> Result<bool, SetError> {
        if self.staging.parent() == Some(&self.directory) {
            return Ok(false);
        }
        if !self.directory.exists() {
            fs::rename(&self.staging, &self.directory).map_err(SetError::io("create", &self.directory))?;
        } else if can_be_replaced(&self.directory, &self.own)? && exchange(&self.staging, &self.directory).is_ok() {
            // What was there before has the name of the staging directory now, and goes when this value does.
        } else {
            return Ok(false);
        }
        sync_parent(&self.directory).map_err(SetError::io("sync", &self.directory))?;
        Ok(true)
    }

    /// Removes the earlier files, then moves the new ones in, their list last.
    fn replace_files(&self, names: &[String]) -> Result<(), SetError> {
        let mut old: Vec<String> = vec![LISTING.into()];
        old.extend(listing::read(&self.directory).ok().flatten().into_iter().flatten().map(|listed| listed.name));
        old.extend(self.own.iter().chain(names).cloned());
        for path in old.iter().filter(|name| is_plain(name)).map(|name| self.directory.join(name)) {
            match fs::remove_file(&path) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => Err(SetError::io("remove", &path)(error)),
                _ => Ok(()),
            }?;
        }
        for name in names.iter().map(String::as_str).chain([LISTING]) {
            let (from, path) = (self.staging.join(name), self.directory.join(name));
            // A mount point is on another disk than what is beside it.
            let moved = fs::rename(&from, &path).or_else(|_| fs::copy(&from, &path).map(drop));
            moved.map_err(SetError::io("write", &path))?;
        }
        sync_parent(&self.directory.join(LISTING)).map_err(SetError::io("sync", &self.directory))
    }
}

impl Drop for FileSet {
    fn drop(&mut self) {
        // What cannot be removed now is removed when the next set begins.
        let _ = remove(&self.staging);
    }
}

/// The directory itself, where a link leads to one.
fn resolved(directory: &Path) -> Result<PathBuf, SetError> {
    match fs::canonicalize(directory) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(directory.to_owned()),
        other => other.map_err(SetError::io("use", directory)),
    }
}

/// The hidden directory beside `directory`; `None` if it has no name or is where the user is, whose shell would be left in
/// the old one.
fn sibling(directory: &Path) -> Option<PathBuf> {
    let name = directory.file_name()?.to_string_lossy();
    let is_current = std::env::current_dir().is_ok_and(|current| current == directory);
    (!is_current).then(|| directory.with_file_name(format!(".{name}.new")))
}

/// Whether there is nothing in the directory but an earlier set.
fn can_be_replaced(directory: &Path, own: &[String]) -> Result<bool, SetError> {
    let entries = match fs::read_dir(directory) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(true),
        other => other.map_err(SetError::io("use", directory))?,
    };
    let listed = listing::read(directory).ok().flatten().unwrap_or_default();
    for entry in entries {
        let entry = entry.map_err(SetError::io("use", directory))?;
        let name = entry.file_name();
        let is_file = entry.file_type().is_ok_and(|kind| kind.is_file());
        let is_left_over = name == INSIDE && !is_file;
        let is_own = name == LISTING
            || own.iter().any(|own| name == own.as_str())
            || listed.iter().any(|listed| name == listed.name.as_str());
        if !(is_left_over || is_own && is_file) {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Makes an empty directory in the place of whatever has its name.
fn remake(directory: &Path) -> io::Result<()> {
    remove(directory)?;
    if let Some(parent) = directory.parent() {
        fs::create_dir_all(parent)?;
    }
    fs::create_dir(directory)
}

/// Removes a file, a link (not what it leads to) or a directory, if it is there.
fn remove(path: &Path) -> io::Result<()> {
    match fs::symlink_metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(error),
        Ok(found) if found.is_dir() => fs::remove_dir_all(path),
        Ok(_) => fs::remove_file(path),
    }
}

/// A name without a way out of its directory.
fn is_plain(name: &str) -> bool {
    Path::new(name).file_name().is_some_and(|plain| plain == name)
}

fn names_in(directory: &Path) -> Result<Vec<String>, SetError> {
    let entries = fs::read_dir(directory).map_err(SetError::io("read", directory))?;
    let mut names = Vec::new();
    for entry in entries {
        let entry = entry.map_err(SetError::io("read", directory))?;
        names.push(entry.file_name().to_string_lossy().into_owned());
    }
    names.sort();
    Ok(names)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::verify;

    fn write_set(directory: &Path, files: &[(&str, &str)]) -> Result<Vec<PathBuf>, SetError> {
        let set = FileSet::begin(directory, &["a", "b", "c"])?;
        files.iter().for_each(|(name, text)| fs::write(set.path(name), text).unwrap());
        set.commit()
    }

    fn visible(directory: &Path) -> Vec<(String, String)> {
        let names = names_in(directory).unwrap().into_iter().filter(|name| !name.starts_with('.'));
        names.map(|name| (name.clone(), fs::read_to_string(directory.join(name)).unwrap())).collect()
    }

    fn pairs(files: &[(&str, &str)]) -> Vec<(String, String)> {
        files.iter().map(|&(name, text)| (name.into(), text.into())).collect()
    }

    #[test]
    fn a_new_set_takes_the_place_of_the_old() {
        let parent = tempfile::tempdir().unwrap();
        let directory = parent.path().join("deep/set");
        write_set(&directory, &[("a", "1"), ("b", "1")]).unwrap();
        assert_eq!(visible(&directory), pairs(&[("a", "1"), ("b", "1")]));
        let paths = write_set(&directory, &[("b", "2"), ("c", "2")]).unwrap();
        assert_eq!(paths, ["b", "c"].map(|name| directory.join(name)));
        assert_eq!(visible(&directory), pairs(&[("b", "2"), ("c", "2")]));
        verify(&directory).unwrap();
        assert_eq!(fs::read_dir(directory.parent().unwrap()).unwrap().count(), 1, "nothing is left beside it");
    }

    #[test]
    fn a_set_that_is_given_up_leaves_the_old() {
        let parent = tempfile::tempdir().unwrap();
        let directory = parent.path().join("set");
        write_set(&directory, &[("a", "1"), ("b", "1")]).unwrap();
        let set = FileSet::begin(&directory, &["a", "b", "c"]).unwrap();
        fs::write(set.path("a"), "half").unwrap();
        drop(set);
        assert_eq!(visible(&directory), pairs(&[("a", "1"), ("b", "1")]));
        assert_eq!(fs::read_dir(parent.path()).unwrap().count(), 1);
    }

    #[test]
    fn files_of_others_stay_and_old_files_never_mix_with_new_ones() {
        let parent = tempfile::tempdir().unwrap();
        let directory = parent.path().join("set");
        fs::create_dir_all(directory.join("folder")).unwrap();
        fs::write(directory.join("mine"), "precious").unwrap();
        write_set(&directory, &[("a", "1"), ("b", "1")]).unwrap();
        write_set(&directory, &[("a", "2")]).unwrap();
        fs::remove_dir(directory.join("folder")).unwrap();
        assert_eq!(visible(&directory), pairs(&[("a", "2"), ("mine", "precious")]));
        verify(&directory).unwrap();
    }

    #[test]
    fn what_a_killed_process_left_is_swept() {
        let parent = tempfile::tempdir().unwrap();
        let directory = parent.path().join("set");
        fs::create_dir_all(parent.path().join(".set.new/deep")).unwrap();
        write_set(&directory, &[("a", "1")]).unwrap();
        assert_eq!(names_in(parent.path()).unwrap(), ["set"]);
    }

    #[cfg(unix)]
    #[test]
    fn links_in_the_way_are_removed_and_not_followed() {
        let parent = tempfile::tempdir().unwrap();
        let (directory, victim) = (parent.path().join("set"), parent.path().join("victim"));
        fs::create_dir(&victim).unwrap();
        fs::write(victim.join("a"), "precious").unwrap();
        std::os::unix::fs::symlink(&victim, parent.path().join(".set.new")).unwrap();
        write_set(&directory, &[("a", "1")]).unwrap();
        assert_eq!(fs::read_to_string(victim.join("a")).unwrap(), "precious");
        // A directory that is a link stays one: where it leads to is replaced.
        std::os::unix::fs::symlink(&directory, parent.path().join("link")).unwrap();
        write_set(&parent.path().join("link"), &[("a", "2")]).unwrap();
        assert!(fs::symlink_metadata(parent.path().join("link")).unwrap().is_symlink());
        assert_eq!(visible(&directory), pairs(&[("a", "2")]));
    }

    #[test]
    fn a_changed_a_missing_and_an_exchanged_file_are_seen() {
        let parent = tempfile::tempdir().unwrap();
        let directory = parent.path().join("set");
        let spoil: [fn(&Path); 3] = [
            |directory| fs::write(directory.join("a"), "2").unwrap(),
            |directory| fs::remove_file(directory.join("a")).unwrap(),
            |directory| {
                fs::rename(directory.join("a"), directory.join("x")).unwrap();
                fs::rename(directory.join("b"), directory.join("a")).unwrap();
                fs::rename(directory.join("x"), directory.join("b")).unwrap();
            },
        ];
        for spoil in spoil {
            write_set(&directory, &[("a", "1"), ("b", "3")]).unwrap();
            spoil(&directory);
            let message = verify(&directory).unwrap_err().to_string();
            assert!(message.contains("is not as it was written") && message.contains("Remedy"), "{message}");
        }
        fs::write(directory.join(LISTING), "nonsense").unwrap();
        assert!(verify(&directory).is_err());
    }
}
