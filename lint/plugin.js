import { linearRegexp } from './linear-regexp.js'
import { plainEnglish } from './plain-english.js'

/** The project's own rules for oxlint. */
export default {
  meta: { name: 'takt' },
  rules: { 'linear-regexp': linearRegexp, 'plain-english': plainEnglish },
}
