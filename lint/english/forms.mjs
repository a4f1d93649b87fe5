/**
 * Forms of English that STYLE.md rejects, each with the kinds of text in which it is rejected and the advice that a finding prints.
 * Patterns match one sentence, without code spans, URLs and placeholders.
 *
 * Kinds: `comment`, `title` (of a test), `group` (of tests), `message` (every sentence in a string of the product), `log`, `ui`, `doc`.
 */
const code = ['comment', 'title', 'group', 'message', 'log']
const prose = [...code, 'doc']
const all = [...prose, 'ui']

const be = 'is|are|was|were|be|been|being'
const irregular = 'told|read|seen|written|taken|begun|made|known|sent|given|kept|heard|found|shown'
const limited =
  'bytes|samples|rows|names|machines|ids|days|hours|ms|seconds|characters|tokens|columns|words|elements|items|requests|entries|time|memory|records|batches|values|keys|faults|pieces|passwords|cells|levels|digits|statements|documents|groups|evaluations|subscriptions|connections|messages|metrics'

const form = (name, kinds, pattern, advice) => ({ name, kinds: new Set(kinds), pattern, advice })

export const forms = [
  form(
    'who',
    prose,
    /^Who (?!am\b|can\b|may\b|is signed\b)[a-z](?!.*\?$)|\b(?:of|to|for|from|with|than|by) who\b(?!m)|\bwho(?:m)?ever\b|\b(?:those|all|one|everyone) who (?:ask|wait|follow|read|write|wrote|rest|come|need|get|share)/i,
    'name the subject: caller, client, subscriber, user',
  ),
  form(
    'somebody',
    all,
    /\b(?:some|no|any|every)body\b|\b(?:some|any|every)one\b(?! (?:of|else)\b)/i,
    'name the subject: caller, client, subscriber, user',
  ),
  form(
    'others',
    prose,
    /^(?!.*\b(?:some|one|several|most|many)\b).*(?<!\b(?:the|all|and|or|no) )\bothers(?!['’])\b/i,
    'name what the others are',
  ),
  form(
    'turn',
    all,
    /\b(?:gets?|has|have|had|takes?|gives?|given|got) (?:their|its|his|a|another|other) turns?\b|\bin turns\b|\b(?:is|are|was) (?:its|their|the \w+['’]s|a \w+['’]s) turn\b|\b(?:gets?|have|has) the event loop\b|\bturns? of the event loop\b|\bin one turn\b|\bwhen its turn\b/,
    'yield to the event loop; cooperatively; in order',
  ),
  form(
    'so-many',
    all,
    /\bso (?:many|much|long|often|few|old|late|large|high)\b(?!,| (?:as|for as)\b)(?!.*\b(?:that|as)\b)/i,
    'state the number or the limit',
  ),
  form('anew', all, /\banew\b|\b(?:makes?|made|making)\b(?: \w+){0,4} again\b/, 'recompute, rebuild, again'),
  form(
    'told',
    all,
    /\b(?:is|are|was|were|be|been|being|isn't|aren't|wasn't|not|yet|also) told\b(?! (?:to|not)\b)|\btold apart\b|\btells? (?:\w+ )?apart\b|\btells? of\b|^tells?\b(?! Takt\b)|\b(?:unless|until) told\b/i,
    'notify, publish, send, report, distinguish',
  ),
  form(
    'says',
    prose,
    /^Says\b|\bsays? (?:of|so)\b|\bas (?:it|they|its \w+|their \w+|the \w+) (?:tells?|ha(?:s|ve) (?:it|them))\b/,
    'state, return, contain',
  ),
  form(
    'asked',
    prose,
    new RegExp(
      String.raw`\b(?:${be}|isn't|aren't|not|yet|what|those|as|ever|last|first) asked (?:for|of|about)\b|\basks? (?:the )?(?:log|registrar|engine|brokers?|schema|memory)\b|\bthat asks?\b|\bwho asks?\b|\basking (?:the )?(?:store|log|registrar)\b`,
    ),
    'request, query, poll',
  ),
  form(
    'taken',
    [...prose, 'ui'],
    new RegExp(
      String.raw`\b(?:${be}) (?:not )?taken(?=[.,:;)]|$| (?:now|at once|all the same|and|or|while|when|as (?:a|an|they|it)\b))|\bnot taken\b|\btakes? nothing\b`,
    ),
    'accepted, consumed, rejected',
  ),
  form(
    'answered',
    prose,
    /^Answers (?:null|whether|how|what|which|an?|the|true|false|with)\b|; answers\b|\bas (?:it is|it was|they are) (?:answered|told|asked)\b/,
    'returns, responds',
  ),
  form(
    'most',
    ['comment'],
    new RegExp(
      String.raw`^(?:Most|Least) (?:\w+ ){0,2}?(?:${limited})\b(?! (?:is|are|was|were|have|has|do|come|hold|need|take|end|that come)\b)`,
    ),
    'Maximum, minimum, limit of',
  ),
  form('passed-over', all, /\bpass(?:ed|ing) over\b|\b(?:be|to|must|may|not) pass over\b/, 'skip'),
  form(
    'is-no',
    all,
    /(?<!there )\b(?:is|are|was|were) no (?!(?:longer|more|less|fewer|better|worse|different|way|matter|one|such|need|earlier|later|larger|smaller|higher|lower|newer|older)\b)[a-z]|(?<!there )\b(?:is|are) none\b(?=$|[.,;:)]| that)/i,
    'is not a; invalid; there is no',
  ),
  form(
    'what-comes',
    all,
    /\b(?:little|much|more|nothing|what) (?:comes?|came|goes(?! wrong)|is there|is gone)\b|(?<!often )\bas (?:they|it) comes?\b/i,
    'low or high input rate; name what arrives',
  ),
  form(
    'what-does',
    prose,
    /(?:^What|\b(?:of|for|with|to|by|from|and|makes|keeps|opens|closes|ends|returns|holds|needs|asks|answers|gets) what) (?:authenticates|carries|changes|counts|decides|differs|ends|enters|evaluates|finds|follows|gives|hands|holds|keeps|lies|looks|makes|needs|reads|says|serves|shows|stands|takes|tells|waits|writes)\b/,
    'name the thing',
  ),
  form(
    'rest',
    prose,
    /\b(?:[Pp]artitions?|[Aa]ll|they|that|to|may|inserts|process) rests?\b(?! (?:of|on|is|are|upon)\b)|\brest(?:s|ed) (?!on\b|upon\b|with\b)|\b(?:long|short|last|no|a|each|every|first|longest|longer) rests?\b(?! (?:of|is|are)\b)|\brests? (?:between|while|where|after|until|take)\b|\b(?:the|their|these|those) rests\b/,
    'flush interval, wait, remainder',
  ),
  form(
    'stands',
    prose,
    /\bstands? (?:there|here|once|twice|beside|behind|before|under|in (?:it|place|the)|as (?:it|they))\b|\bas (?:it|they) (?:stands?|stood)\b|\bstands? (?:still|alone)\b|\bstood still\b/,
    'is in; is stored in; is defined once',
  ),
  form(
    'archaic',
    all,
    /\bbe (?:it|they)\b|\bbut for\b|\ball the same\b|\bin all else\b|\bfor (?:itself|themselves)\b(?= alone|$|[.,;])|\bof (?:ours|theirs|one['’]s own)\b|\bof long ago\b|\bsince ever\b|\bnot any more\b|\bhence\b|\bwhereof\b|\btherein\b|\bis at it\b|\bthe very (?!first|last|same|start|end|beginning)\w+|\bno such thing\b|\ba thing that\b/,
    'use current English',
  ),
  form('else', prose, /[,;:] else (?!if\b)[a-z0-9']|^Else\b/, 'otherwise'),
  form(
    'where-if',
    prose,
    /^Where (?!(?:to|from|do|does|is|are|can|should)\b)(?=[^,?]* (?:is|are|has|have|was|were|can|can['’]t|cannot|may|fails?|comes?|takes?|needs?|lacks?|does|do|did|there)\b)[^,?]*,(?! (?:and|or)\b)|\b(?:throws|rejects|refuses|fails|null|none|undefined|false|true|\d+) where\b|\bwhere (?:there is none|there are none|none is|it fails|it can['’]t|it cannot)\b/i,
    'if or when for a condition, where for a place',
  ),
  form(
    'looks',
    prose,
    /\b(?:is|are|was|were|be|been|not) looked (?:at|through|for|after)\b|\blooks that\b|\blook(?:s|ed|ing)? (?:once more|again)\b/i,
    'poll, check, read',
  ),
  form(
    'has-it-do',
    prose,
    /(?:^Has|^Have|\b(?:has|have|having)) the (?:registrar|store|engine|service|SELECT|partitions|processors?|database) (?:do|keep|write|read|make|compute|give|put|take|see|end|send|add)\b|\bsees? to (?:it|that)\b/,
    'make the component the subject',
  ),
  form('mend', all, /\bmend(?:s|ed|ing)?\b/, 'repair, fix'),
  form('tried-again', prose, /\b(?:is|are|was|were|be) tried again\b|, trying again\b/, 'retried, retrying'),
  form(
    'goes-on',
    [...prose, 'ui'],
    /\b(?:it|run|stop|record|instance|downtime|that|still|service|process|work) (?:goes|go|went) on\b(?! (?:to|disk|the)\b)|^goes on\b|\bgoing on would\b/,
    'continues, is ongoing',
  ),
  form(
    'title-fragment',
    ['title'],
    /^(?:are|have|were|do|don['’]t|aren['’]t|of|that|whose|which|who|whom|than|those|them|their|others?|need|go|come|give|take|keep|say|tell|stay|begin|end|hold|lie|stand|count|show|get|make|read|write|wait|fail|use|leave|let|know|name|carry|follow|in|on|from|beside|behind|without|with|by|as)\b/,
    'a whole statement: A late sample recomputes only its hour',
  ),
  form(
    'log-not',
    ['log'],
    new RegExp(
      String.raw`^(?:[A-Za-z ]+ )?not (?:yet )?(?:\w+ed|${irregular})\b|\bit is not known\b|^(?:[Ii]t|[Tt]his|[Tt]here) is\b`,
    ),
    'an event in the past tense: Failed to commit offsets',
  ),
  form(
    'not-now',
    ['message', 'log', 'ui'],
    /\b(?:cannot|can['’]t|can not|does not|do not|could not)\b[^.,]* now\b|\bnothing now\b/,
    'is unavailable. Retry later.',
  ),
  form(
    'ui',
    ['ui'],
    /\bArrange by\b|\bTogether\b(?! with)|\bwithout a reason\b|\bExplained\b|\bnothing more\b|\bChoose none\b|\btake[ns]? (?:it |the reason )?away\b|\bwaits for\b|\bmean little\b|\bparted by\b|\bhas this name\b|\bNowhere\b|\bAs the device\b|\bgood (?:once|any more)\b|\bunder way\b|\bNot begun\b|\bTo (?:compute again|production)\b|(?<!\bjumps? )\bto now\b|\bBehind,|\baway\b|\b(?:parts|time|cycle), of\b|\brecords?'? to take\b|\bThere is no such\b|\bgoes\b(?! through)|\bby itself\b|\bCloser\b|\bWider\b|\bYou are here\b|\beach says\b|^(?:Figure|fine)$/i,
    'the usual term of the field',
  ),
]
