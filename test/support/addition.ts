/** A change of the project as the page for developers describes it. */
export interface Addition {
  /** Heading of its section in docs/developing.md. */
  readonly section: string
  /** Values of the placeholders `<name>` in the paths of the section. */
  readonly names?: Readonly<Record<string, string>>
  readonly changes: readonly FileChange[]
  /** Files that a command of the section writes, each with a text that it then contains. */
  readonly generated?: Readonly<Record<string, string>>
  /** Files that the section names for a condition that this addition does not meet, each with the reason. */
  readonly unneeded?: Readonly<Record<string, string>>
}

/** A change of one file. `edit` throws an Error if the file does not have the expected content. */
export interface FileChange {
  readonly path: string
  /** `text`: content of the file; null: it does not exist. */
  readonly edit: (text: string | null) => string
}

/** Creates a file. */
export function create(path: string, content: string): FileChange {
  return {
    path,
    edit: text => {
      if (text !== null) throw new Error(`${path}: the file exists already; give the new file another name`)
      return content
    },
  }
}

/** Inserts lines before the only line that begins with `anchor` (after its indentation). */
export function insert(path: string, anchor: string, lines: string): FileChange {
  return {
    path,
    edit: text => {
      const all = existing(path, text).split('\n')
      const found = all.flatMap((line, index) => (line.trimStart().startsWith(anchor) ? [index] : []))
      return all.toSpliced(only(found, path, `a line that begins with ${anchor}`), 0, lines).join('\n')
    },
  }
}

/** Inserts an import before all other lines. */
export function addImport(path: string, line: string): FileChange {
  return { path, edit: text => `${line}\n${existing(path, text)}` }
}

/** Replaces the only occurrence of `anchor`. */
export function replace(path: string, anchor: string, by: string): FileChange {
  return {
    path,
    edit: text => {
      const parts = existing(path, text).split(anchor)
      only(parts.slice(1), path, anchor)
      return parts.join(by)
    },
  }
}

/** Files that an addition changes. */
export function touchedFiles({ changes, generated = {} }: Addition): readonly string[] {
  return [...new Set([...changes.map(({ path }) => path), ...Object.keys(generated)])].sort()
}

/** Compares the files that a section names with the files that its addition changes; one line for each difference. */
export function differences(addition: Addition, named: readonly string[]): readonly string[] {
  const touched = touchedFiles(addition)
  const unneeded = Object.keys(addition.unneeded ?? {})
  return [
    ...touched.filter(path => !named.includes(path)).map(path => `changed but not named: ${path}`),
    ...named
      .filter(path => !touched.includes(path) && !unneeded.includes(path))
      .map(path => `named but not changed: ${path}`),
    ...unneeded
      .filter(path => !named.includes(path) || touched.includes(path))
      .map(path => `no condition of the section: ${path}`),
  ]
}

/**
 * Files that a section of docs/developing.md names: the paths at the beginning of each numbered step. Paths elsewhere in a step are
 * references. `names`: values of the placeholders.
 */
export function namedFiles(page: string, section: string, names: Readonly<Record<string, string>> = {}): string[] {
  const [, body] = page.split(`\n## ${section}\n`)
  if (body === undefined) throw new Error(`docs/developing.md has no section "${section}"`)
  const text = body.split('\n## ')[0] ?? ''
  const beginnings = text.matchAll(/^\d+\. ((?:`[^`]+`(?:,\s+| and )?)+)/gm)
  return [...beginnings]
    .flatMap(([, beginning = '']) => [...beginning.matchAll(/`([^`]+)`/g)].map(([, path = '']) => path))
    .map(path => path.replaceAll(/<([\w ]+)>/g, (placeholder, name: string) => names[name] ?? placeholder))
}

function existing(path: string, text: string | null): string {
  if (text === null) throw new Error(`${path}: the file does not exist; correct its path in test/developing/additions/`)
  return text
}

function only<T>(found: readonly T[], path: string, anchor: string): T {
  const [first] = found
  if (first === undefined || found.length !== 1)
    throw new Error(
      `${path}: expected exactly one place with "${anchor}", found ${found.length}; correct it in test/developing/additions/`,
    )
  return first
}
