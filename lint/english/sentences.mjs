import { exceptions } from './exceptions.mjs'
import { forms } from './forms.mjs'

/** Sentences of a text, without code spans, URLs and emphasis. */
function sentencesOf(text) {
  const plain = text
    .replace(/`[^`]*`/g, 'CODE')
    .replace(/https?:\/\/\S+|\{@\w+ [^}]*\}/g, 'URL')
    .replace(/\s+/g, ' ')
    .replace(/\*\*|(?<!\w)_|_(?!\w)/g, '')
  return plain
    .split(/(?<=[.!?])["”)]?\s+(?=[A-Z`“"(0-9])/)
    .map(part => part.trim().replace(/\.+$/, ''))
    .filter(part => /[a-z]/.test(part))
}

/** Findings in a text of one kind: `{form, advice, sentence}`, none in a file with an exception. */
export function findingsIn(file, kind, text) {
  if (isException(file)) return []
  const findings = []
  for (const sentence of sentencesOf(text))
    for (const { name, kinds, pattern, advice } of forms)
      if (kinds.has(kind) && pattern.test(sentence)) findings.push({ form: name, advice, sentence })
  return findings
}

function isException(file) {
  return exceptions.some(exception => exception.file === file)
}

/** One line for a finding. */
export const describeFinding = ({ form, advice, sentence }) => `[${form}] ${sentence.slice(0, 160)} — ${advice}`
