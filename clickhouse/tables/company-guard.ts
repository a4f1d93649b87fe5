import { allTables } from './all-tables.ts'
import { type RowsOf, type Sql, render } from '../sql/sql.ts'
import type { Store } from '../client/store.ts'
import type { CompanyRef } from '../../schema/refs.ts'

/**
 * The last check before a query of a company is sent: throws if it reads rows of another company. `from` marks each
 * table, its company and the end of its conditions. The guard compares the marks with the company, and rejects text
 * between them that names a table or extends the conditions. Tables that contain company ids may be read if the id is
 * given too.
 */
export function rejectForeignReads(query: Sql, companyRef: CompanyRef, companyId?: string): Sql {
  const read = readText(query)
  const areOwn = read.marks.every(rowsOf => isOwn(rowsOf, companyRef, companyId))
  if (!areOwn || namesSource(read.text) || !read.following.every(text => mayFollow.test(text)))
    throw new Error(`invariant: a report reads a table without its company: ${render(query).query}`)
  return query
}

/** The store for queries of one company, by its ref and, if tables need it, its id: every read is checked. */
export function guardedStore(store: Store, companyRef: CompanyRef, companyId?: string): Store {
  const check = (query: Sql) => rejectForeignReads(query, companyRef, companyId)
  return {
    ...store,
    query: async <Row>(query: Sql, options?: Parameters<Store['query']>[1]) => store.query<Row>(check(query), options),
    columns: async <Columns extends readonly unknown[][]>(query: Sql, options?: Parameters<Store['columns']>[1]) =>
      store.columns<Columns>(check(query), options),
    queryColumns: async (query, options) => store.queryColumns(check(query), options),
    numbers: async (query, names, options) => store.numbers(check(query), names, options),
    stream: (query, format, options) => store.stream(check(query), format, options),
    writeFile: async (query, format, path, options) => store.writeFile(check(query), format, path, options),
  }
}

/** Table functions that read only data of the query itself. */
export const harmlessFunctions = ['format', 'values', 'numbers', 'null'] as const

/** All other table functions: they read a table, a file or a server that a string names. */
// prettier-ignore
export const readingFunctions = [
  'SQLStandardValues', 'arrowstream', 'azureBlobStorage', 'azureBlobStorageCluster', 'cluster', 'clusterAllReplicas', 'cosn',
  'deltaLake', 'deltaLakeAzure', 'deltaLakeAzureCluster', 'deltaLakeCluster', 'deltaLakeLocal', 'deltaLakeS3', 'deltaLakeS3Cluster',
  'dictionary', 'eval', 'executable', 'file', 'fileCluster', 'filesystem', 'fuzzJSON', 'fuzzQuery', 'gcs', 'generateRandom',
  'generateSeries', 'generate_series', 'hdfs', 'hdfsCluster', 'hudi', 'hudiCluster', 'iceberg', 'icebergAzure',
  'icebergAzureCluster', 'icebergCluster', 'icebergHDFS', 'icebergHDFSCluster', 'icebergLocal', 'icebergLocalCluster', 'icebergS3',
  'icebergS3Cluster', 'input', 'jdbc', 'loop', 'merge', 'mergeTreeAnalyzeIndexes', 'mergeTreeAnalyzeIndexesUUID', 'mergeTreeIndex',
  'mergeTreeProjection', 'mergeTreeTextIndex', 'mongodb', 'mysql', 'numbers_mt', 'odbc', 'oss', 'paimon', 'paimonAzure',
  'paimonAzureCluster', 'paimonCluster', 'paimonHDFS', 'paimonHDFSCluster', 'paimonLocal', 'paimonS3', 'paimonS3Cluster',
  'postgresql', 'primes', 'prometheusQuery', 'prometheusQueryRange', 'redis', 'remote', 'remoteSecure', 's3', 's3Cluster', 'sqlite',
  'timeSeriesData', 'timeSeriesMetrics', 'timeSeriesSamples', 'timeSeriesSelector', 'timeSeriesTags', 'url', 'urlCluster', 'view',
  'viewExplain', 'viewIfPermitted', 'ytsaurus', 'zeros', 'zeros_mt',
] as const

const tableNames: ReadonlySet<string> = new Set([...allTables.map(({ name }) => name), 'information_schema'])
const functionNames: ReadonlySet<string> = new Set(readingFunctions.map(name => name.toLowerCase()))

/** Matches a word with the parenthesis or comment that follows it: a comment may hide a parenthesis. */
const wordAndCall = /(\w+)(["`\s]*(?:\(|\/\*|--))?/g
const systemTable = /\bsystem\b(\.\w+)?/gi
/** Quoted identifiers with escapes, which may spell any name. */
const quotedNameWithBackslash = /["`]\w*\\/

/** Returns whether the text names a table, a system table or a table function, in any position and with any quotes. */
function namesSource(text: string): boolean {
  if (quotedNameWithBackslash.test(text)) return true
  // `system.parts` contains no data of companies.
  for (const [, table] of text.matchAll(systemTable)) if (table !== '.parts') return true
  for (const [, word = '', call] of text.matchAll(wordAndCall)) {
    const name = word.toLowerCase()
    if (tableNames.has(name) || (call !== undefined && functionNames.has(name))) return true
  }
  return false
}

/** Matches the end of a SELECT, or a clause that may follow the conditions of a FROM clause. */
const mayFollow = /^\s*(?:$|\)|(?:GROUP BY|HAVING|ORDER BY|LIMIT|UNION ALL)\s)/

interface QueryText {
  readonly marks: readonly RowsOf[]
  /** All static text, with a placeholder for each parameter and mark. */
  readonly text: string
  /** The text after each FROM clause, up to the next mark. */
  readonly following: readonly string[]
}

function readText({ parts }: Sql): QueryText {
  const marks: RowsOf[] = []
  const following: string[] = []
  const texts: string[] = []
  let behind: string | null = null
  for (const part of parts) {
    if (typeof part === 'string' || !('mark' in part)) {
      const text = typeof part === 'string' ? part : '?'
      texts.push(text)
      if (behind !== null) behind += text
      continue
    }
    texts.push(' ')
    if (behind !== null) following.push(behind)
    behind = part.mark === 'end' ? '' : null
    if (part.mark === 'table') marks.push(part.rowsOf)
  }
  return { marks, text: texts.join(''), following: behind === null ? following : [...following, behind] }
}

function isOwn(rowsOf: RowsOf, companyRef: CompanyRef, companyId?: string): boolean {
  if (rowsOf === 'shared' || 'all' in rowsOf) return false
  return rowsOf.company === companyRef || (companyId !== undefined && rowsOf.company === companyId)
}
