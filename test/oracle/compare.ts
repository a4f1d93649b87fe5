import { assert } from 'chai'
import { nativeCodeId } from './groups.ts'
import type { ReportAnswer } from './types.ts'

const shownDifferences = 40

/**
 * Asserts that the reports agree; fails with a list of `path: actual, expected`. Integers, strings, null, and the order
 * of items and entities must be equal, other numbers up to 1e-9 of their size. Values that only the product has are
 * ignored: `csv`, and ids of `nativeCode`.
 */
export function expectSameReport(actual: unknown, expected: ReportAnswer): void {
  const differences = compareReports(actual, expected)
  if (differences.length === 0) return
  const shown = differences.slice(0, shownDifferences).join('\n  ')
  assert.fail(`${differences.length} differences (path: actual, expected):\n  ${shown}`)
}

/** Returns one line for each difference between the reports; empty if they agree. */
export function compareReports(actual: unknown, expected: ReportAnswer): readonly string[] {
  return compareValues(withTextIds(actual), withTextIds(expected))
}

/** Compares two JSON values; returns one line for each difference, empty if they agree. */
export function compareValues(actual: unknown, expected: unknown): readonly string[] {
  const differences: string[] = []
  compare(actual, expected, '$', differences)
  return differences
}

function compare(actual: unknown, expected: unknown, path: string, differences: string[]): void {
  if (isSame(actual, expected)) return
  if (Array.isArray(actual) && Array.isArray(expected)) compareLists(actual, expected, path, differences)
  else if (isObject(actual) && isObject(expected)) compareObjects(actual, expected, path, differences)
  else differences.push(`${path}: ${show(actual)}, ${show(expected)}`)
}

function isSame(actual: unknown, expected: unknown): boolean {
  if (typeof actual !== 'number' || typeof expected !== 'number') return actual === expected
  if (Number.isInteger(actual) && Number.isInteger(expected)) return actual === expected
  return Math.abs(actual - expected) <= 1e-9 * Math.max(Math.abs(actual), Math.abs(expected))
}

function compareLists(
  actual: readonly unknown[],
  expected: readonly unknown[],
  path: string,
  differences: string[],
): void {
  const names = (list: readonly unknown[]) => list.map(nameOf).join(' ')
  if (names(actual) !== names(expected)) {
    differences.push(`${path} lists: [${names(actual)}], [${names(expected)}]`)
    return
  }
  expected.forEach((it, index) => compare(actual[index], it, `${path}[${nameOf(it, index)}]`, differences))
}

/** Returns the name of an array element in a path; an item is named by its entity. */
function nameOf(element: unknown, index: number): string {
  const entity = isObject(element) ? element['entity'] : undefined
  return isObject(entity) ? `${String(entity['type'])}=${String(entity['id'])}` : String(index)
}

function compareObjects(
  actual: Readonly<Record<string, unknown>>,
  expected: Readonly<Record<string, unknown>>,
  path: string,
  differences: string[],
): void {
  for (const key of new Set([...Object.keys(expected), ...Object.keys(actual)])) {
    const within = `${path}.${key}`
    if (!(key in actual)) differences.push(`${within}: missing, ${show(expected[key])}`)
    else if (!(key in expected)) differences.push(`${within}: ${show(actual[key])}, missing`)
    else compare(actual[key], expected[key], within, differences)
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function show(value: unknown): string {
  const text = JSON.stringify(value) ?? 'undefined'
  return text.length > 200 ? `${text.slice(0, 200)}…` : text
}

/** Returns the report without `csv`, with strings instead of integers as ids of nativeCode entities. */
function withTextIds(answer: unknown): unknown {
  if (!isObject(answer)) return answer
  const { csv: _, ...rest } = answer
  const entities = isObject(rest['entities']) ? rest['entities'] : {}
  const codes = isObject(entities['nativeCode']) ? entities['nativeCode'] : undefined
  if (!codes) return rest
  const textIds = new Map(
    Object.entries(codes).map(([id, it]) => {
      const entity = isObject(it) ? it : {}
      return [id, nativeCodeId(String(entity['nativeCode']), String(entity['message']), String(entity['state']))]
    }),
  )
  const renamed = Object.fromEntries(
    Object.entries(codes).map(([id, it]) => {
      const textId = textIds.get(id) ?? id
      return [textId, isObject(it) ? { ...it, id: textId } : it]
    }),
  )
  return { ...rest, entities: { ...entities, nativeCode: renamed }, items: renameItems(rest['items'], textIds) }
}

function renameItems(items: unknown, textIds: ReadonlyMap<string, string>): unknown {
  if (!Array.isArray(items)) return items
  return items.map((item: unknown) => {
    if (!isObject(item)) return item
    const entity = isObject(item['entity']) ? item['entity'] : {}
    const id = String(entity['id'])
    const renamed = entity['type'] === 'nativeCode' ? { ...entity, id: textIds.get(id) ?? id } : entity
    const inner = 'items' in item ? { items: renameItems(item['items'], textIds) } : {}
    return { ...item, entity: renamed, ...inner }
  })
}
