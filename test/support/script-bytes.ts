import { type BuiltFiles, pageName } from '../../service/app/build-app.ts'
import { de } from '../../web/texts/de.ts'
import { en } from '../../web/texts/en.ts'

/** Bytes of scripts as sent with gzip. */
export interface ScriptBytes {
  readonly all: number
  /** Without the texts of the shorter language: a browser loads those of one. */
  readonly oneLanguage: number
  readonly firstScreen: number
}

/** Returns the bytes of the scripts of the built application. */
export function scriptBytes(files: BuiltFiles): ScriptBytes {
  const page = files.get(pageName)?.bytes.toString() ?? ''
  const scripts = [...files].filter(([name]) => name.endsWith('.js'))
  const sum = (chosen: typeof scripts) =>
    chosen.reduce((bytes, [, file]) => bytes + (file.gzip ?? file.bytes).length, 0)
  const textsWith = (text: string) => sum(scripts.filter(([, file]) => file.bytes.includes(text)))
  const all = sum(scripts)
  const texts = [en, de].map(({ screens }) => textsWith(screens.connect))
  return {
    all,
    oneLanguage: all - Math.min(...texts),
    firstScreen: sum(scripts.filter(([name]) => page.includes(name))),
  }
}
