import { openEmbeddedStore } from '../../clickhouse/client/embedded-store.ts'

const [folder = '', kind, text = ''] = process.argv.slice(2)
const store = await openEmbeddedStore({ path: folder, database: 'takt', reportClients: 1 })
const rows = kind === 'query' ? await store.query({ parts: [text] }) : (await store.command({ parts: [text] }), [])
await store.close()
process.stdout.write(JSON.stringify(rows))
