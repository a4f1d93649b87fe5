import type { Store } from './store.ts'

/** The store, whose reads and commands begin when `ready` has resolved, and reject as it does. */
export function readsAfter(store: Store, ready: (signal?: AbortSignal) => Promise<void>): Store {
  return {
    ...store,
    async query(sql, options) {
      await ready(options?.signal)
      return store.query(sql, options)
    },
    async answer(sql, options) {
      await ready(options?.signal)
      return store.answer(sql, options)
    },
    async columns(sql, options) {
      await ready(options?.signal)
      return store.columns(sql, options)
    },
    async numbers(sql, names, options) {
      await ready(options?.signal)
      return store.numbers(sql, names, options)
    },
    async *stream(sql, format, options) {
      await ready(options?.signal)
      yield* store.stream(sql, format, options)
    },
    async writeFile(sql, format, path, options) {
      await ready(options?.signal)
      await store.writeFile(sql, format, path, options)
    },
    async command(sql, options) {
      await ready(options?.signal)
      await store.command(sql, options)
    },
  }
}
