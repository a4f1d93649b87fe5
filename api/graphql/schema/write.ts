import { writeFileSync } from 'node:fs'
import { printSchema } from 'graphql'
import { theSchema } from './schema.ts'

// Writes `api/graphql/schema.graphql`, which is committed: `npm run graphql-schema`.
writeFileSync(new URL('../schema.graphql', import.meta.url), `${printSchema(theSchema())}\n`)
