import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { type Addition, differences, namedFiles } from '../support/addition.ts'
import { graphqlField } from './additions/graphql-field.ts'
import { grouping } from './additions/grouping.ts'
import { machineSetting } from './additions/machine-setting.ts'
import { message } from './additions/message.ts'
import { metric } from './additions/metric.ts'
import { recordKind } from './additions/record-kind.ts'
import { route } from './additions/route.ts'
import { screen } from './additions/screen.ts'
import { setting } from './additions/setting.ts'
import { table } from './additions/table.ts'
import { copyProject, filesOf, type ProjectCopy } from '../support/project-copy.ts'

/** In an order in which each may use those before it. */
const additions: readonly Addition[] = [
  metric,
  grouping,
  route,
  recordKind,
  table,
  screen,
  setting,
  message,
  machineSetting,
  graphqlField,
]

/** Tests that reject an incomplete addition, in addition to those that the additions create or change. */
const guards = [
  'test/api/http/openapi.test.ts',
  'test/clickhouse/tables/all-tables.test.ts',
  'test/clickhouse/tables/tenancy.test.ts',
  'test/docs/german-guides.test.ts',
  'test/docs/metrics.test.ts',
  'test/docs/scopes.test.ts',
  'test/oracle/metrics.test.ts',
  'test/processors/registrar/commands/catalogue.test.ts',
  'test/service/config.test.ts',
  'test/structure/web-imports.test.ts',
  'test/web/texts.test.ts',
]

describe('the additions that docs/developing.md describes', function () {
  const page = readFileSync(new URL('../../docs/developing.md', import.meta.url), 'utf8')
  const touched = filesOf(additions)
  let copy: ProjectCopy

  before(() => {
    copy = copyProject()
    for (const addition of additions) copy.apply(addition)
    succeeds('npm', 'run', '--silent', 'graphql-schema')
    succeeds('prettier', '--write', '--log-level', 'warn', ...touched.filter(path => path.endsWith('.md')))
  })
  after(() => copy?.remove())

  function succeeds(command: string, ...args: readonly string[]): void {
    const { status, output } = copy.run(command, ...args)
    expect(status, `${command} ${args.slice(0, 4).join(' ')} in the copy:\n${output}`).to.equal(0)
  }

  for (const addition of additions)
    it(`The section "${addition.section}" names exactly the files that its addition changes`, () => {
      expect(differences(addition, namedFiles(page, addition.section, addition.names))).to.deep.equal([])
    })

  it('A file that a section names too much, or does not name, is reported', () => {
    const named = namedFiles(page, metric.section)
    expect(differences(metric, [...named, 'schema/topics.ts'])).to.deep.equal([
      'named but not changed: schema/topics.ts',
    ])
    expect(
      differences(
        metric,
        named.filter(path => path !== 'schema/sums.ts'),
      ),
    ).to.deep.equal(['changed but not named: schema/sums.ts'])
  })

  it('The generated files contain the additions', () => {
    for (const { generated = {} } of additions)
      for (const [path, text] of Object.entries(generated)) expect(copy.read(path)).to.include(text)
  })

  it('A project with all additions passes the types', () => {
    succeeds('npm', 'run', '--silent', 'types')
  })

  it('The files of the additions pass the lint', () => {
    succeeds('oxlint', '--type-aware', '--deny-warnings', ...touched.filter(path => /\.tsx?$/.test(path)))
  })

  it('A project with all additions passes the check of imports', () => {
    succeeds('npm', 'run', '--silent', 'imports')
  })

  it('A project with all additions passes the tests that the additions change and those that compare lists', () => {
    const tests = [...new Set([...touched.filter(path => path.endsWith('.test.ts')), ...guards])]
    succeeds('mocha', ...tests)
  })
})
