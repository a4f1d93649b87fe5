import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { assert } from 'chai'
import { settingsTextsDe } from '../../web/screens/settings/texts.de.ts'
import { settingsTextsEn } from '../../web/screens/settings/texts.en.ts'
import { de } from '../../web/texts/de.ts'
import { en } from '../../web/texts/en.ts'

const root = fileURLToPath(new URL('../../web', import.meta.url))

/** Paths of the texts in an object of them: `app.close`. */
function pathsIn(texts: object, before = ''): readonly string[] {
  return Object.entries(texts).flatMap(([name, text]: [string, unknown]) =>
    typeof text === 'object' && text !== null ? pathsIn(text, `${before}${name}.`) : [`${before}${name}`],
  )
}

/** Text at a path. */
function textAt(texts: object, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>((at, name) => (typeof at === 'object' && at ? Reflect.get(at, name) : at), texts)
}

/** Source of the application but for the texts themselves. */
const source = readdirSync(root, { recursive: true, encoding: 'utf8' })
  .filter(
    file =>
      /\.tsx?$/.test(file) && !/(^|\/)(texts\.)?[\w-]+\.(en|de)\.ts$/.test(file) && !/texts\/(en|de)\.ts$/.test(file),
  )
  .map(file => readFileSync(join(root, file), 'utf8'))
  .join('\n')

const pairs = { application: [en, de], settings: [settingsTextsEn, settingsTextsDe] } as const

describe('the texts of the application', () => {
  for (const [name, [english, german]] of Object.entries(pairs)) {
    it(`has each text of the ${name} in both languages, with as many places for values`, () => {
      assert.sameMembers([...pathsIn(german)], [...pathsIn(english)])
      for (const path of pathsIn(english)) {
        const [a, b] = [textAt(english, path), textAt(german, path)]
        assert.equal(typeof b, typeof a, path)
        assert.notEqual(b, '', path)
        if (typeof a === 'function' && typeof b === 'function') assert.isAtMost(b.length, a.length, path)
      }
    })

    it(`uses each text of the ${name}`, () => {
      const unused = pathsIn(english).filter(path => {
        const [last = '', list = ''] = path.split('.').toReversed()
        // Values of a list are read by a key that the program has.
        const ofList = list === '' ? [] : [`\\b${list}\\)?\\[`, `= (\\w+\\.)+${list}$`]
        const ways = [`\\.${last}\\b`, `'${last}'`, ...ofList]
        return !ways.some(way => new RegExp(way, 'm').test(source))
      })
      assert.deepEqual(unused, [])
    })
  }
})
