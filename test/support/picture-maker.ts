import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Browser } from 'playwright-core'
import { readAs } from './read-as.ts'

/** The programs that determine each pixel. */
interface PictureMaker {
  readonly chromium: string
  readonly font: string
}

const path = fileURLToPath(new URL('../../docs/pictures/made-with.json', import.meta.url))

/** Writes the browser and font of the stored pictures to a file. */
export function noteMaker(browser: Browser): void {
  writeFileSync(path, `${JSON.stringify(makerHere(browser), null, 2)}\n`)
}

/** Reason that new pictures cannot be compared with the stored ones (another browser or font draws letters differently); null: they can. */
export function otherMaker(browser: Browser): string | null {
  const kept = readAs<PictureMaker>(JSON.parse(readFileSync(path, 'utf8')))
  const here = makerHere(browser)
  if (kept.chromium === here.chromium && kept.font === here.font) return null
  return `the kept pictures are of ${kept.chromium} with ${kept.font}; here are ${here.chromium} and ${here.font}`
}

function makerHere(browser: Browser): PictureMaker {
  return { chromium: `Chromium ${browser.version().split('.')[0]}`, font: font() }
}

/** The default font. */
function font(): string {
  try {
    return execFileSync('fc-match', ['-f', '%{family[0]}', 'system-ui'], { encoding: 'utf8' }).trim()
  } catch {
    return 'an unknown font'
  }
}
