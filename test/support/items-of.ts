import { jsonChunks, type JsonHash, type JsonList } from '../../api/json/write-json.ts'

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
