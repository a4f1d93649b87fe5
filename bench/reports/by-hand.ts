import type { Store } from '../../clickhouse/store.ts'

/** A store that remembers the last SELECT, so that it can be sent again by itself. */
export function watchQueries(store: Store): { readonly store: Store; readonly lastQuery: () => Promise<void> } {
  let again: () => Promise<unknown> = () => Promise.resolve()
  return {
    store: {
      ...store,
      numbers: (...args) => {
        again = () => store.numbers(...args)
        return store.numbers(...args)
      },
      columns: <Columns extends readonly unknown[][]>(...args: Parameters<Store['columns']>) => {
        again = () => store.columns<Columns>(...args)
        return store.columns<Columns>(...args)
      },
    },
    lastQuery: async () => {
      await again()
    },
  }
}
