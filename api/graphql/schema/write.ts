import { writeFileSync } from 'node:fs'
import { printSchema } from 'graphql'
import { sharedSchema } from './schema.ts'

// Writes `api/graphql/schema.graphql`, which is committed: `npm run graphql-schema`.
writeFileSync(new URL('../schema.graphql', import.meta.url), `${printSchema(sharedSchema())}\n`)
