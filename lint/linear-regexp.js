import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { checkSync } from 'recheck'
import packageJson from 'recheck/package.json' with { type: 'json' }

/**
 * Rejects regular expressions with super-linear time: one of them on external text blocks the event
 * loop for as long as the sender wants. recheck uses the automaton, also for the best start of a match: with fuzzing, the result would differ between runs.
 */
export const linearRegexp = {
  meta: { type: 'problem', docs: { description: 'Regular expressions take time linear in their input' } },
  create(context) {
    return {
      Literal(node) {
        if (node.regex) report(context, node, node.regex.pattern, node.regex.flags)
      },
      NewExpression: node => reportConstructed(context, node),
      CallExpression: node => reportConstructed(context, node),
    }
  },
}

/** `RegExp(...)`, with or without `new`: a pattern that is composed at run time cannot be checked here. */
function reportConstructed(context, node) {
  if (node.callee.type !== 'Identifier' || node.callee.name !== 'RegExp') return
  const [pattern, flags] = node.arguments
  const isText = pattern?.type === 'Literal' && typeof pattern.value === 'string'
  if (isText) report(context, node, pattern.value, flags?.type === 'Literal' ? String(flags.value) : '')
  else if (pattern?.type !== 'Literal') context.report({ node, message: unknown })
}

const unknown =
  'A regular expression that is made at run time cannot be checked: write it as a literal, or read the text by hand'

function report(context, node, pattern, flags) {
  const verdict = verdictOf(pattern, flags)
  if (verdict !== null) context.report({ node, message: verdict })
}

const cacheFolder = new URL('../node_modules/.cache/linear-regexp/', import.meta.url)
const cacheFile = new URL(`recheck-${packageJson.version}.json`, cacheFolder)

/** Results by flags and pattern, cached across runs: each takes tens of milliseconds. */
const known = readCache()

function verdictOf(pattern, flags) {
  const key = `${flags}/${pattern}`
  const before = known.get(key)
  if (before !== undefined) return before
  const verdict = judge(pattern, flags)
  known.set(key, verdict)
  writeCache()
  return verdict
}

function readCache() {
  try {
    return new Map(Object.entries(JSON.parse(readFileSync(cacheFile, 'utf8'))))
  } catch {
    return new Map()
  }
}

/** If the folder cannot be written, only the cache is missing. */
function writeCache() {
  try {
    mkdirSync(cacheFolder, { recursive: true })
    writeFileSync(cacheFile, JSON.stringify(Object.fromEntries(known)))
  } catch {
    return
  }
}

/** Limit of wall-clock time. The longest check so far took half a second, but 20 s beside the tests, at the lowest priority. */
const timeoutMs = 300_000

/** null if the pattern is linear. */
function judge(pattern, flags) {
  const { status, complexity, attack, error } = checkSync(pattern, flags, { checker: 'automaton', timeout: timeoutMs })
  if (status === 'safe') return null
  if (status === 'unknown') return `Not known to be linear (${error?.kind ?? 'no answer'}): /${pattern}/${flags}`
  return `Takes ${complexity.summary} time, for example for ${attack.pattern}: /${pattern}/${flags}`
}
