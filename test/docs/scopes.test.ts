import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { scopes } from '../../schema/scopes.ts'
import { rules } from '../api/scopes-of-routes.ts'

describe('the scopes in docs/api-guide.md', () => {
  const guide = readFileSync(new URL('../../docs/api-guide.md', import.meta.url), 'utf8')
  const section = guide.slice(guide.indexOf('\n## Scopes\n'), guide.indexOf("\n## The plant's records\n"))
  const rows = [...section.matchAll(/^\| `([\w.-]+)` +\| (.*?) +\|/gm)].map(([, scope = '', allows = '']) => ({
    scope,
    allows,
  }))

  it('The API guide lists every scope and their number', () => {
    expect(rows.map(({ scope }) => scope)).to.have.members([...scopes])
    expect(section).to.include(`${scopes.length} scopes`)
  })

  it('The API guide states for exactly the scopes that no route requires that they allow nothing', () => {
    const asked = new Set<string>(
      Object.values(rules).flatMap(rule =>
        typeof rule === 'string' ? [] : 'oneOf' in rule ? rule.oneOf : 'allOf' in rule ? rule.allOf : [],
      ),
    )
    for (const { scope, allows } of rows) expect(allows.startsWith('none'), scope).to.equal(!asked.has(scope))
  })
})
