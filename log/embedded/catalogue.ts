import { open, readFile, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import type { TopicSpec } from '../log.ts'

/** A topic with the offsets of its partitions at the time of writing. */
export interface CatalogueEntry extends Pick<TopicSpec, 'retentionMs' | 'retentionBytes'> {
  readonly name: string
  readonly id: number
  /** First and next offset of each partition. */
  readonly partitions: readonly { readonly start: number; readonly end: number }[]
}

const fileName = 'catalogue.json'

/** Reads topics and their offsets from the file beside LevelDB's own; empty if it is missing or damaged. */
export async function readCatalogue(path: string): Promise<readonly CatalogueEntry[]> {
  try {
    const stored: { crc: number; topics: CatalogueEntry[] } = JSON.parse(await readFile(join(path, fileName), 'utf8'))
    return crc32(JSON.stringify(stored.topics)) === stored.crc ? stored.topics : []
  } catch {
    return []
  }
}

/** Writes the file and flushes it to disk. After a crash, the file has the old or the new content. */
export async function writeCatalogue(path: string, topics: readonly CatalogueEntry[]): Promise<void> {
  const fresh = join(path, `${fileName}.new`)
  const file = await open(fresh, 'w')
  try {
    await file.writeFile(JSON.stringify({ crc: crc32(JSON.stringify(topics)), topics }))
    await file.sync()
  } finally {
    await file.close()
  }
  await rename(fresh, join(path, fileName))
}
