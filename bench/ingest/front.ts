/** The tests' HTTP front of ClickHouse, as a process of its own: tells the settings of services that use it. */
import { sharedClickhouse } from '../../test/support/shared-clickhouse.ts'

// As long as it listens it lives.
process.on('message', () => {
  sharedClickhouse().then(
    clickhouse => process.send?.(clickhouse.env()),
    (error: unknown) => {
      console.error(error)
      process.exit(1)
    },
  )
})
