/** The HTTP front of ClickHouse of the tests, as a separate process: reports the settings for services that use it. */
import { sharedClickhouse } from '../../test/support/shared-clickhouse.ts'

// The process lives as long as it listens.
process.on('message', () => {
  sharedClickhouse().then(
    clickhouse => process.send?.(clickhouse.env()),
    (error: unknown) => {
      console.error(error)
      process.exit(1)
    },
  )
})
