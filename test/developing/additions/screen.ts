import { addImport, type Addition, create, insert } from '../../support/addition.ts'

/** A screen that shows the response of the added route. */
export const screen: Addition = {
  section: 'Add a screen',
  names: { name: 'plant' },
  changes: [
    create(
      'web/screens/plant/plant.tsx',
      `import { useLoad } from '../../data/use-load.ts'
import { useViewer } from '../../data/viewer.ts'
import { useLocale } from '../../texts/locale.ts'
import { Failure, Loading } from '../../ui/notice.tsx'

/** Shows the numbers of machines and operators. */
function Plant() {
  const { t } = useLocale()
  const { client } = useViewer()
  const { value, error, reload } = useLoad(() => client.call('GET /plant-size'), [client])
  return (
    <div class="page narrow">
      <h1>{t.plant.title}</h1>
      {error !== null && <Failure error={error} onRetry={reload} />}
      {value === null && error === null && <Loading />}
      {value !== null && <p class="lead">{t.plant.size(String(value.machines), String(value.operators))}</p>}
    </div>
  )
}

export { Plant as screen }
`,
    ),
    insert(
      'web/application/screens.ts',
      "{ path: 'app/account',",
      `  {
    path: 'app/plant',
    title: 'plant',
    icon: 'info',
    allows: viewer => hasScope(viewer, 'machine.read'),
    load: () => import('../screens/plant/plant.tsx'),
  },`,
    ),
    insert('web/texts/en.ts', "setUp: 'First-time setup'", "    plant: 'Plant',"),
    insert(
      'web/texts/en.ts',
      'developers: {',
      `  plant: {
    title: 'Plant',
    size: (machines: string, operators: string) => \`Machines: \${machines}, operators: \${operators}\`,
  },`,
    ),
    insert('web/texts/de.ts', "setUp: 'Ersteinrichtung'", "    plant: 'Werk',"),
    insert(
      'web/texts/de.ts',
      'developers: {',
      `  plant: {
    title: 'Werk',
    size: (machines, operators) => \`Maschinen: \${machines}, Bediener: \${operators}\`,
  },`,
    ),
    addImport('web/data/endpoints.ts', "import type { PlantSize } from '../../schema/requests/plant-size.ts'"),
    insert(
      'web/data/endpoints.ts',
      "'GET /machines': {",
      "  'GET /plant-size': { body: undefined; response: PlantSize }",
    ),
    create(
      'test/web/plant.test.ts',
      `import { assert } from 'chai'
import type { Browser, Page } from 'playwright-core'
import { assertAccessible, assertWalkable, openChromium, watchPage } from '../support/chromium.ts'
import { startService, testKey, type TestService } from '../support/service.ts'

describe('the screen of the plant', function () {
  let service: TestService
  let browser: Browser
  let page: Page

  before(async function () {
    browser = await openChromium(this)
    service = await startService()
    page = await browser.newPage({ locale: 'en-US' })
  })
  after(async () => {
    await browser?.close()
    await service?.stop()
  })

  it('The screen shows the numbers of machines and operators', async () => {
    const problems = watchPage(page, service.url)
    await service.call('PUT', '/operators/ann', { name: 'Ann' })
    await page.goto(\`\${service.url}/app/plant#key=\${encodeURIComponent(testKey)}\`)
    await page.getByRole('heading', { level: 1, name: 'Plant' }).waitFor()
    await page.getByText('Machines: 0, operators: 1').waitFor()
    await assertAccessible(page, 'plant')
    await assertWalkable(page, 'plant')
    assert.deepEqual(problems, [])
  })
})
`,
    ),
  ],
  unneeded: {
    'web/screens/plant/plant.css': 'The screen has no style of its own.',
    'web/style/app.css': 'The screen has no style of its own.',
  },
}
