import { assert } from 'chai'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { hashPassword } from '../../api/auth/password.ts'
import { resultOrThrow } from '../../schema/commands/command-log.ts'
import type { Role } from '../../schema/roles.ts'
import { type BrowserKind, openChromium, watchPage } from './chromium.ts'
import { type TestService, testKey } from './service.ts'

const password = 'correct horse battery'
const desk: BrowserContextOptions = { viewport: { width: 1440, height: 900 }, locale: 'en-US' }
const phone: BrowserContextOptions = { viewport: { width: 390, height: 844 }, hasTouch: true, locale: 'en-US' }
const devices = { desk, phone } as const

/**
 * In a `describe`: opens pages of a service in one browser, which is closed after the tests. A test fails if a page reports an
 * error. The tests are skipped if there is no browser.
 */
export function usePages(
  kind: BrowserKind = 'page',
): (context: Mocha.Context, service: TestService, device?: keyof typeof devices) => Promise<Page> {
  let browser: Browser | undefined
  const problems: string[][] = []
  after(() => browser?.close())
  afterEach(() =>
    assert.deepEqual(
      problems.flatMap(ofPage => ofPage.splice(0)),
      [],
    ),
  )
  return async (context, { url }, device = 'desk') => {
    browser ??= await openChromium(context, kind)
    const page = await (await browser.newContext(devices[device])).newPage()
    problems.push(watchPage(page, url))
    return page
  }
}

/** Creates a user; returns the id. */
export async function createUser(
  { commands, companyId }: TestService,
  displayName: string,
  role: Role,
): Promise<string> {
  const user = { email: emailOf(displayName), displayName, role, passwordHash: await hashPassword(password) }
  return resultOrThrow(await commands.submit('user.create', user, { companyId })).id
}

/** Texts of the form and of the first screen. */
const words = {
  en: { email: 'Email address', password: 'Password', floor: 'Floor' },
  de: { email: 'E-Mail-Adresse', password: 'Passwort', floor: 'Halle' },
} as const

/** Signs a user in with the form; resolves when the floor is open. `language`: of the page. */
export async function signIn(
  page: Page,
  { url }: TestService,
  displayName: string,
  language: keyof typeof words = 'en',
): Promise<void> {
  const shown = words[language]
  await page.goto(url)
  await page.getByLabel(shown.email).fill(emailOf(displayName))
  await page.getByLabel(shown.password, { exact: true }).fill(password)
  await page.keyboard.press('Enter')
  await headingOf(page, shown.floor)
}

/** Opens a screen with the test's key. */
export async function openWithKey(page: Page, { url }: TestService, path: string): Promise<void> {
  await page.goto(`${url}${path}#key=${encodeURIComponent(testKey)}`)
}

/** Opens a screen; resolves when its data are loaded. */
export async function openScreen(page: Page, { url }: TestService, path: string, title: string): Promise<void> {
  await page.goto(url + path)
  await headingOf(page, title)
  await page.getByText('Loading …').first().waitFor({ state: 'detached' })
}

/** Resolves when the page has the title. */
export function headingOf(page: Page, name: string): Promise<void> {
  return page.getByRole('heading', { level: 1, name }).waitFor()
}

function emailOf(displayName: string): string {
  return `${displayName.toLowerCase()}@plant.example`
}
