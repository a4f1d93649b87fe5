/** The engine as the service opens it, with migrated tables and nothing else: the reference for the memory of a service. */
import { openEmbeddedStore } from '../../clickhouse/client/embedded-store.ts'
import { migrate } from '../../clickhouse/migrations/migrate.ts'

const [path = ''] = process.argv.slice(2)
await migrate(await openEmbeddedStore({ path, database: 'takt' }))
process.stdout.write('ready\n')
// It ends with the process that started it.
process.stdin.resume()
