import { ApiError } from '../../schema/errors.ts'
import { createSerial } from '../../shared/async/serial.ts'
import type { Mappings } from './mappings.ts'

/** Bounds the imports of one process: the file of each lies on disk, and the jobs of the one under way in memory. */
export interface ImportGate {
  /** Takes a place for a company's import, before its file is read; answers what gives it back. Throws an `ApiError` 429 where none is left. */
  enter(companyId: string): () => void
  /** Runs an import, with the mappings of files, when those before it are done. */
  run<Result>(task: (mappings: Mappings) => Promise<Result>): Promise<Result>
}

const mostPlaces = 8
/** One that runs, one that is sent meanwhile. */
const mostOfCompany = 2

/** One import after the other. */
export function createImportGate(mappings: Mappings): ImportGate {
  const serial = createSerial()
  const companies: string[] = []
  return {
    enter(companyId) {
      const ofCompany = companies.filter(each => each === companyId).length
      if (companies.length >= mostPlaces || ofCompany >= mostOfCompany)
        throw new ApiError(429, 'TooManyRequests', 'Too many imports at once', { retryAfterS: 5 })
      companies.push(companyId)
      return () => void companies.splice(companies.indexOf(companyId), 1)
    },
    run: task => serial(() => task(mappings)),
  }
}
