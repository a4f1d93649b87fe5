import type { Sql } from '../../clickhouse/sql/sql.ts'
import type { Store } from '../../clickhouse/client/store.ts'

/** A store that records the last SELECT of numbers, so that it can be sent again. */
export interface WatchedStore {
  readonly store: Store
  /** Sends the last query again, and discards its result. */
  readonly again: () => Promise<void>
  /** Sends the last query again as for a human reader: as JSON, with a row a line. */
  readonly againAsJson: () => Promise<void>
  /** When the last file was written, by `performance.now()`. */
  readonly lastWrittenMs: () => number
}

export function watchQueries(store: Store): WatchedStore {
  let again: () => Promise<unknown> = () => Promise.resolve()
  let last: Sql = { parts: ['SELECT 1'] }
  let writtenMs = 0
  return {
    store: {
      ...store,
      numbers: (...args) => {
        last = args[0]
        again = () => store.numbers(...args)
        return store.numbers(...args)
      },
      queryColumns: (...args) => {
        last = args[0]
        again = () => store.queryColumns(...args)
        return store.queryColumns(...args)
      },
      writeFile: async (...args) => {
        await store.writeFile(...args)
        writtenMs = performance.now()
      },
    },
    lastWrittenMs: () => writtenMs,
    again: async () => {
      await again()
    },
    againAsJson: async () => {
      for await (const _ of store.stream(last, 'JSONEachRow'));
    },
  }
}
