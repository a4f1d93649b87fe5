import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { assert } from 'chai'
import { de } from '../../web/texts/de.ts'
import { en } from '../../web/texts/en.ts'

const root = fileURLToPath(new URL('../../web', import.meta.url))

/** Paths of the texts in an object of texts, such as `app.close`. */
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

/** Source of the application without the texts themselves. */
const source = readdirSync(root, { recursive: true, encoding: 'utf8' })
  .filter(
    file =>
      /\.tsx?$/.test(file) && !/(^|\/)(texts\.)?[\w-]+\.(en|de)\.ts$/.test(file) && !/texts\/(en|de)\.ts$/.test(file),
  )
  .map(file => readFileSync(join(root, file), 'utf8'))
  .join('\n')

/** Texts of truncated lists, of actions on several items, and with a name or a time instead of a number. */
const neverOne =
  /\.(many|most|mostChanged|downloadIsCut|pasteMost|tooManyRows|several|newest|mergeText|steps|toProductionOf)$/
const plurals = {
  english: /\b1 (new )?[a-z]{3,}s\b/,
  german:
    /\b1 (neue )?(Maschinen|Sätze|Einträge|Tage|Aufträge|Stillstände|Stillständen|Läufe|Zeilen|Feiertage|Fassungen|Neuberechnungen)\b/,
}

describe('the texts of the application', () => {
  it('Each text exists in English and German, with equal placeholders', () => {
    assert.sameMembers([...pathsIn(de)], [...pathsIn(en)])
    for (const path of pathsIn(en)) {
      const [a, b] = [textAt(en, path), textAt(de, path)]
      assert.equal(typeof b, typeof a, path)
      assert.notEqual(b, '', path)
      if (typeof a === 'function' && typeof b === 'function') assert.isAtMost(b.length, a.length, path)
    }
  })

  it('Each text has the singular for one item', () => {
    const wrong = [[en, plurals.english] as const, [de, plurals.german] as const].flatMap(([texts, plural]) =>
      pathsIn(texts).flatMap(path => {
        const text = textAt(texts, path)
        if (typeof text !== 'function' || neverOne.test(path)) return []
        const result: unknown = Reflect.apply(text, null, Array(text.length).fill('1'))
        return typeof result === 'string' && plural.test(result) ? [`${path}: ${result}`] : []
      }),
    )
    assert.deepEqual(wrong, [])
  })

  it('Each text is used', () => {
    const unused = pathsIn(en).filter(path => {
      const [last = '', list = ''] = path.split('.').toReversed()
      // Values of a list are read by a computed key.
      const ofList =
        list === '' ? [] : [`\\b${list}\\)?\\[`, `= (\\w+\\.)+${list}$`, `optionsIn\\((\\w+\\.)+${list}\\)`]
      const ways = [`\\.${last}\\b`, `'${last}'`, ...ofList]
      return !ways.some(way => new RegExp(way, 'm').test(source))
    })
    assert.deepEqual(unused, [])
  })
})
