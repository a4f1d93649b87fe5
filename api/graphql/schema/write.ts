import { writeFileSync } from 'node:fs'
import { printSchema } from 'graphql'
import { theSchema } from './schema.ts'

// Generates the committed schema: `npm run graphql-schema`.
writeFileSync(new URL('../schema.graphql', import.meta.url), `${printSchema(theSchema())}\n`)
