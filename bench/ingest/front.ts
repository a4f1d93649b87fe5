/** The tests' HTTP front of ClickHouse, as a process of its own: tells the settings of services that use it. */
import { sharedClickhouse } from '../../test/support/shared-clickhouse.ts'

const clickhouse = await sharedClickhouse()
process.once('message', () => process.send?.(clickhouse.env()))
