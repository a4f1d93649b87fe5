import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { openEmbeddedStore } from '../../clickhouse/client/embedded-store.ts'

/** Bytes of all files; hard links of parts count once. A file that is deleted in the meantime does not count. */
export function bytesOf(folder: string): number {
  const { stdout } = spawnSync('du', ['-sb', folder], { encoding: 'utf8' })
  return Number(stdout.split('\t')[0])
}

/** Bytes on disk of each table after all merges, largest first. The service of the folder must have ended. */
export async function bytesOfTables(dataDir: string): Promise<readonly (readonly [table: string, bytes: number])[]> {
  const store = await openEmbeddedStore({ path: join(dataDir, 'store'), database: 'takt', reportClients: 1 })
  try {
    const find = `SELECT table, sum(bytes_on_disk) FROM system.parts
      WHERE active AND database = currentDatabase() GROUP BY table ORDER BY 2 DESC`
    const [tables] = await store.columns<[string[], string[]]>({ parts: [find] })
    for (const table of tables) await store.command({ parts: [`OPTIMIZE TABLE ${table} FINAL`] })
    const [names, bytes] = await store.columns<[string[], string[]]>({ parts: [find] })
    return names.map((name, i) => [name, Number(bytes[i])] as const)
  } finally {
    await store.close()
  }
}
