import { jsonChunks } from '../../api/http/respond.ts'
import type { JsonHash } from '../../api/json/json-hash.ts'
import type { JsonList } from '../../api/json/json-list.ts'

/** The items of a list, as a client reads them. */
export function itemsOf<Item>(list: JsonList<Item>): readonly Item[] {
  const items: readonly Item[] = JSON.parse([...jsonChunks(list)].join(''))
  return items
}

/** An object, as a client reads it. */
export function wholeOf<Whole>(hash: JsonHash<Whole>): Whole {
  const whole: Whole = JSON.parse([...jsonChunks(hash)].join(''))
  return whole
}
