import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import packageJson from '../../package.json' with { type: 'json' }

interface Lock {
  readonly packages: Readonly<Record<string, { readonly hasInstallScript?: boolean }>>
}

describe('install scripts of packages', () => {
  it('package.json allows or denies every install script, so that npm install prints no warning', () => {
    const lock: Lock = JSON.parse(readFileSync('package-lock.json', 'utf8'))
    const withScript = Object.entries(lock.packages)
      .filter(([, { hasInstallScript = false }]) => hasInstallScript)
      .map(([path]) => path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length))
    expect(new Set(Object.keys(packageJson.allowScripts))).to.deep.equal(new Set(withScript))
  })
})
