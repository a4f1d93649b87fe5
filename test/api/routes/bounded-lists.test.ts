import { expect } from 'chai'
import { routes } from '../../../api/create-api.ts'
import { jsonOf } from '../../../schema/types.ts'

/** Paths of the arrays in a schema without a maximum length. */
function boundlessLists(schema: unknown, path: string): readonly string[] {
  if (Array.isArray(schema)) return schema.flatMap((each, index) => boundlessLists(each, `${path}[${index}]`))
  if (typeof schema !== 'object' || schema === null) return []
  const isList = 'type' in schema && [schema.type].flat().includes('array')
  const own = isList && !('maxItems' in schema) ? [path] : []
  return [...own, ...Object.entries(schema).flatMap(([key, each]) => boundlessLists(each, `${path}.${key}`))]
}

describe('arrays in request bodies', () => {
  // Reports limit their arrays themselves.
  it('Every array in a request body has a maximum length in its schema', () => {
    const checked = routes.filter(({ body, path }) => body?.kind === 'json' && !path.startsWith('/reports/'))
    expect(checked.length).to.be.greaterThan(20)
    const boundless = checked.flatMap(({ method, path, body }) =>
      body ? boundlessLists(jsonOf(body.schema), `${method} ${path}`) : [],
    )
    expect(boundless).to.deep.equal([])
  })
})
