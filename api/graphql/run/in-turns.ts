import { WorkSlice } from '../../../shared/async/work-slice.ts'

/** As `map` of an array; others get their turn in between. */
export async function mapInTurns<T, R>(items: readonly T[], map: (item: T) => R): Promise<R[]> {
  const slice = new WorkSlice()
  const result: R[] = []
  for (const item of items) {
    result.push(map(item))
    if (slice.isOver) await slice.next()
  }
  return result
}

/**
 * JSON as `JSON.stringify` writes it; others get their turn while long lists are written. `onLength` is told how long it is so far,
 * UTF-16 units, and may throw.
 */
export async function jsonInTurns(
  value: unknown,
  onLength: (chars: number) => void = () => undefined,
): Promise<string> {
  const slice = new WorkSlice()
  let json = ''
  for (const piece of piecesOf(value)) {
    json += piece
    onLength(json.length)
    if (slice.isOver) await slice.next()
  }
  return json
}

function* piecesOf(value: unknown): Generator<string, void> {
  if (!hasList(value)) yield JSON.stringify(value)
  else if (Array.isArray(value)) yield* listPieces(value)
  else yield* objectPieces(Object.entries(value))
}

function* listPieces(items: readonly unknown[]): Generator<string, void> {
  let before = '['
  for (const item of items) {
    yield before
    yield* piecesOf(item)
    before = ','
  }
  yield before === '[' ? '[]' : ']'
}

function* objectPieces(entries: readonly (readonly [string, unknown])[]): Generator<string, void> {
  let before = '{'
  for (const [key, value] of entries) {
    if (value === undefined) continue
    yield `${before}${JSON.stringify(key)}:`
    yield* piecesOf(value)
    before = ','
  }
  yield before === '{' ? '{}' : '}'
}

/** Whether a list is in it, which may be long. */
function hasList(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false
  return Array.isArray(value) || Object.values(value).some(hasList)
}
