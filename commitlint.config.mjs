/** Commit subjects: `area: imperative summary`, at most 72 characters. STYLE.md shows examples. */
export default {
  parserPreset: {
    parserOpts: { headerPattern: /^([\w/.{}-]+(?:, ?[\w/.{}-]+)*): (.+)$/, headerCorrespondence: ['scope', 'subject'] },
  },
  plugins: [
    {
      rules: {
        'subject-imperative': ({ subject }) => [
          isImperative(subject),
          'start the summary with an imperative verb: "add", not "adds" or "added"',
        ],
      },
    },
  ],
  rules: {
    'header-max-length': [2, 'always', 72],
    'scope-empty': [2, 'never'],
    'subject-empty': [2, 'never'],
    'subject-full-stop': [2, 'never', '.'],
    'subject-imperative': [2, 'always'],
  },
  helpUrl: 'STYLE.md',
}

const imperativesLikeOtherForms = new Set([
  'bring',
  'embed',
  'exceed',
  'feed',
  'need',
  'proceed',
  'seed',
  'shed',
  'speed',
  'string',
])

/** True unless the first word looks like "adds", "added" or "adding". */
function isImperative(subject) {
  const [word = ''] = (subject ?? '').toLowerCase().split(/[^a-z-]/)
  return imperativesLikeOtherForms.has(word) || !/(?:ed|ing|(?<![sui])s)$/.test(word)
}
