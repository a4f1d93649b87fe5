import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { extname, join, relative } from 'node:path'

/** Hashes files and folders of a project, and a further text: equal contents at equal paths have equal hashes. */
export function hashFiles(root, names, text = '') {
  const hash = createHash('sha256').update(text)
  for (const path of names.flatMap(name => pathsUnder(root, name))) {
    const bytes = readFileSync(join(root, path))
    hash.update(`${path}\0${bytes.length}\0`).update(bytes)
  }
  return hash.digest('hex').slice(0, 16)
}

function pathsUnder(root, name) {
  if (extname(name) !== '') return [name]
  return readdirSync(join(root, name), { withFileTypes: true, recursive: true })
    .filter(entry => entry.isFile())
    .map(entry => relative(root, join(entry.parentPath, entry.name)))
    .sort()
}
