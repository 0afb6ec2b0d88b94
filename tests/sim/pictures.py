# SPDX-License-Identifier: BSD-3-Clause
# pictures.py FILE... CONDITION - checks pictures of eyotcheck. *.svg: it is XML without script, links and fonts, and no two
# texts overlap or leave the picture. *.mmd: each line is one of those that the diagram may have, with all text escaped.
# CONDITION is an expression over: arrows (operations that have arrived), late (that have not), lost, texts (all texts, joined
# by line ends), marked (how often a failure is marked), lines, units, missing (edges of an order that is missing).
import re
import sys
import xml.etree.ElementTree as ET

SVG = '{http://www.w3.org/2000/svg}'
TAGS = 'svg title style defs marker path rect text line circle'.split()
bad = []


def svg(path):
    tree = ET.parse(path).getroot()
    boxes, ops, missing, units = [], [], 0, 0
    width, height = float(tree.get('width')), float(tree.get('height'))
    for e in tree.iter():
        tag = e.tag.replace(SVG, '')
        if tag not in TAGS:
            bad.append(f'an element {tag}')
        for name, value in e.attrib.items():
            if name.startswith('on') or 'href' in name or ('url(' in value and not value.startswith('url(#')):
                bad.append(f'an attribute {name}={value}')
        if tag == 'style' and re.search(r'url\(|@import|@font-face', e.text):
            bad.append('a style sheet that loads something')
        kinds = e.get('class', '').split()
        if tag == 'path' and 'op' in kinds:
            ops.append(kinds)
        missing += tag == 'path' and 'missing' in kinds
        if tag != 'text':
            continue
        wide, size, x, y = (float(e.get(k)) for k in ('textLength', 'font-size', 'x', 'y'))
        left = {'start': x, 'middle': x - wide / 2, 'end': x - wide}[e.get('text-anchor')]
        box = (left, y - 0.8 * size, left + wide, y + 0.2 * size, e.text)
        if box[0] < 0 or box[1] < 0 or box[2] > width or box[3] > height:
            bad.append(f'a text leaves the picture: {e.text}')
        boxes.append(box)
        units += e.get('text-anchor') == 'middle'
    boxes.sort(key=lambda b: b[1])
    for i, a in enumerate(boxes):
        for b in boxes[i + 1:]:
            if b[1] >= a[3]:
                break
            if a[0] < b[2] and b[0] < a[2]:
                bad.append(f'texts overlap: "{a[4]}" and "{b[4]}"')
    texts = '\n'.join(b[4] for b in boxes)
    return {'arrows': sum('late' not in k and 'lost' not in k for k in ops), 'late': sum('late' in k for k in ops),
            'lost': sum('lost' in k for k in ops), 'texts': texts, 'missing': missing, 'units': units,
            'marked': len(re.findall(r'^(?:FAILS HERE|RACE)$', texts, re.M)), 'lines': len(boxes)}


def mermaid(path):
    text = r'(?:[A-Za-z0-9 ,._()\[\]/+=?!-]|#[0-9]+;|<br/>|[^\x00-\x7f])*'
    forms = ['sequenceDiagram', rf'  participant P[0-9]+ as {text}', rf'  Note over P[0-9]+(?:,P[0-9]+)?: {text}',
             rf'  P[0-9]+(?:-\)|-x|--x)P[0-9]+: {text}', r'  rect rgba\([0-9]+, [0-9]+, [0-9]+, [0-9.]+\)', '  end']
    lines = open(path, encoding='utf-8').read().split('\n')
    if lines.pop() != '' or lines[0] != 'sequenceDiagram':
        bad.append('it does not begin or end as a diagram')
    depth = 0
    for line in lines:
        if not any(re.fullmatch(f, line) for f in forms):
            bad.append(f'a line of no known form: {line}')
        depth += line.startswith('  rect') - (line == '  end')
        if depth not in (0, 1):
            bad.append('frames do not match')
    whole = '\n'.join(lines)
    shown = re.sub(r'#([0-9]+);', lambda m: chr(int(m[1])), whole.replace('<br/>', ' '))
    return {'arrows': len(re.findall(r'^  P[0-9]+-\)', whole, re.M)), 'late': len(re.findall(r'^  P[0-9]+--x', whole, re.M)),
            'lost': len(re.findall(r'^  P[0-9]+-x', whole, re.M)), 'texts': shown, 'missing': shown.count('Missing order'),
            'marked': len(re.findall(r': (?:FAILS HERE|RACE)<br/>', whole)), 'lines': len(lines),
            'units': sum(line.startswith('  participant') for line in lines)}


for path in sys.argv[1:-1]:
    found = (svg if path.endswith('.svg') else mermaid)(path)
    if not eval(sys.argv[-1], dict(found)):
        texts = found.pop('texts')
        bad.append(f'not so: {sys.argv[-1]}; {found}\n{texts}')
    for text in bad:
        print(f'{path}: {text}')
    if bad:
        sys.exit(1)
